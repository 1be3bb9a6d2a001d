import { bounds } from "../kernel/bounds.ts";
import type { FindProgram, RunResult, Shell } from "../ports/shell.ts";
import type { Mask } from "../secrets/mask.ts";
import type { Boundary } from "../workspace/boundary.ts";
import { capturedText } from "./captured.ts";
import { failed } from "./outcome.ts";
import type { ToolContext, ToolOutcome } from "./tool.ts";

export type Search = {
  readonly shell: Shell;
  readonly findRipgrep: FindProgram;
  readonly boundary: Boundary;
  readonly mask?: Mask;
};

/** `stdout` is complete unless `partial` says why not. `base` is the located folder that result paths are relative to. */
export type Searched =
  | { readonly type: "searched"; readonly stdout: string; readonly base: string; readonly partial: string | null }
  | { readonly type: "ended"; readonly outcome: ToolOutcome };

/**
 * Runs ripgrep in the located folder, so that neither its arguments nor a link can lead it elsewhere, and looks again
 * afterwards: a folder that was replaced meanwhile gives no result (CASES C-125).
 */
export async function search(
  options: Search,
  call: { readonly path: string; readonly args: readonly string[] },
  context: Pick<ToolContext, "cwd">,
  signal: AbortSignal,
): Promise<Searched> {
  const place = await options.boundary.check(call.path, context.cwd, "read");
  if (place.type === "refused") return ended(place.why);
  if (place.file === null) return ended(`${call.path} does not exist (looked at ${place.path}).`);
  if (place.file.kind !== "folder" && place.file.kind !== "file")
    return ended(`${call.path} is no file and no folder.`);
  const program = await options.findRipgrep();
  if (program.type === "missing") return ended(program.why);
  const slash = place.path.lastIndexOf("/");
  const base = place.file.kind === "folder" ? place.path : place.path.slice(0, slash) || "/";
  const target = place.file.kind === "folder" ? "./" : `./${place.path.slice(slash + 1)}`;
  const request = {
    command: { type: "program", path: program.path, args: [...always, ...call.args, "--", target] },
    cwd: base,
    timeoutMs: bounds.searchMsMax,
    bytesMax: bounds.captureBytesMax,
  } as const;
  const result = await options.shell.run(request, signal);
  const again = await options.boundary.check(call.path, context.cwd, "read");
  if (again.type === "refused" || again.path !== place.path)
    return ended(`${call.path} was replaced while it was searched.`);
  return searched(result, base);
}

/** No settings of the user's, hidden files but not version control, `.gitignore` also outside repositories. */
const always = ["--no-config", "--color=never", "--hidden", "--no-require-git", "--glob=!.git"] as const;

function ended(why: string): Searched {
  return { type: "ended", outcome: failed(why) };
}

function searched({ end, output, errorOutput }: RunResult, base: string): Searched {
  if (end.type === "interrupted")
    return { type: "ended", outcome: { ...failed("[interrupted by the user]"), ending: "interrupted" } };
  if (end.type === "not-started" || end.type === "killed") {
    return ended(`the search could not be run: ${end.type === "killed" ? end.signal : end.why}`);
  }
  const complaint = capturedText(errorOutput).trim().slice(0, 1_000);
  if (end.type === "exited" && end.exitCode >= 2 && output.head === "") return ended(complaint);
  const timedOut =
    end.type === "timed-out" ? `the search was ended after ${bounds.searchMsMax} ms; narrow path or glob` : null;
  const overfull =
    output.bytesLeftOut > 0 ? "there was more output than one call may capture; narrow the pattern" : null;
  const complained = complaint === "" ? null : complaint;
  return {
    type: "searched",
    stdout: `${output.head}${output.tail}`,
    base,
    partial: timedOut ?? overfull ?? complained,
  };
}
