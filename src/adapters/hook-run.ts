import { bounds } from "../kernel/bounds.ts";
import type { Hook, HookEnd, HookInput, HookRan, Hooks } from "../ports/hooks.ts";
import type { Captured, Shell } from "../ports/shell.ts";
import type { StreamId } from "../ports/store.ts";
import { type HookRule, hooksDue } from "../workspace/hooks.ts";
import type { Guarded } from "./guarded.ts";
import { nodeShell } from "./shell.ts";
import { pathsOf } from "./store-file-path.ts";

/** What every hook is told of the session. */
export type HookPlace = { readonly session: string; readonly transcript: string; readonly cwd: string };

/**
 * Runs hooks over the shell: groups, time limits and the way they are ended are those of any command. They are programs of
 * the user's own, so no sandbox is around them, and their two streams stay apart; the environment is the one that
 * commands have (`hookVariables` beside it).
 */
export function shellHooks(shell: Shell, rules: readonly HookRule[], place: HookPlace): Hooks {
  return {
    due: (event, subject) => hooksDue(rules, event, subject),
    async run(hook, input, signal) {
      try {
        const { text, isCut } = inputText(hook, input, place);
        const ran = await run(shell, hook, text, place.cwd, signal);
        return isCut ? { ...ran, told: "beginnings" } : ran;
      } catch (error) {
        return { end: { type: "not-started", why: wordsOf(error) }, output: "", errorOutput: "" };
      }
    },
  };
}

/** null: no file that counts names any, and nothing of this is there. `root`: where sessions are kept, if that is known. */
export function sessionHooks(given: {
  readonly rules: readonly HookRule[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly guarded: Pick<Guarded, "guards" | "hidden">;
  readonly stream: StreamId;
  readonly root: string | null;
  readonly cwd: string;
}): Hooks | null {
  const { rules, env, guarded, stream, root, cwd } = given;
  if (rules.length === 0) return null;
  const { pass, set } = guarded.guards.env;
  const childEnv = { pass, set: { ...set, ...hookVariables(cwd) } };
  const place = {
    session: stream.type === "lane" ? stream.session : "",
    transcript: root === null ? "" : pathsOf(root, stream).log,
    cwd,
  };
  return shellHooks(nodeShell({ env, childEnv, hidden: guarded.hidden }), rules, place);
}

/** For hooks that were written for Claude Code, and by our own name. */
export function hookVariables(cwd: string): Readonly<Record<string, string>> {
  return { CLAUDE_PROJECT_DIR: cwd, VARVE_PROJECT_DIR: cwd };
}

async function run(shell: Shell, hook: Hook, input: string, cwd: string, signal: AbortSignal): Promise<HookRan> {
  const flood = new AbortController();
  let bytes = 0;
  const result = await shell.run(
    {
      command: { type: "program", path: "bash", args: ["--noprofile", "--norc", "-c", "--", hook.command] },
      cwd,
      timeoutMs: hook.timeoutMs,
      bytesMax: bounds.hookOutputBytesMax,
      input,
      onBytes: (count) => {
        bytes += count;
        if (bytes > bounds.hookFloodBytesMax) flood.abort();
      },
    },
    AbortSignal.any([signal, flood.signal]),
  );
  // One that ended by itself in the same moment has not said what it wanted to: its middle is missing.
  const end: HookEnd = bytes > bounds.hookFloodBytesMax && !signal.aborted ? { type: "flooded" } : result.end;
  return { end, output: wholeOf(result.output), errorOutput: wholeOf(result.errorOutput) };
}

function wholeOf({ head, bytesLeftOut, tail }: Captured): string {
  return bytesLeftOut === 0 ? head : `${head}\n… ${bytesLeftOut} bytes …\n${tail}`;
}

function inputText({ event }: Hook, input: HookInput, { session, transcript, cwd }: HookPlace) {
  const told = { session_id: session, transcript_path: transcript, cwd, hook_event_name: event, ...input };
  let isCut = false;
  const text = JSON.stringify(told, (_key, value: unknown) => {
    if (typeof value !== "string" || value.length <= bounds.hookInputCharsMax) return value;
    isCut = true;
    return cut(value);
  });
  return { text, isCut };
}

/** A tool's output may be as large as a disk. */
function cut(text: string): string {
  const left = text.length - bounds.hookInputCharsMax;
  return `${text.slice(0, bounds.hookInputCharsMax).toWellFormed()} … and ${left} more characters`;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
