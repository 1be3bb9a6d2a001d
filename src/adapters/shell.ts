import { type ChildProcess, spawn } from "node:child_process";
import { bounds } from "../kernel/bounds.ts";
import type { RunEnd, RunRequest, RunResult, Shell } from "../ports/shell.ts";
import { type Mask, noMask } from "../secrets/mask.ts";
import type { ChildEnv } from "../workspace/guards.ts";
import { explain } from "./fs-error.ts";
import { endWithParent, groupEnded, signalGroup, within } from "./process-group.ts";
import type { Confine } from "./sandbox.ts";
import { type Capture, createCapture, liveText, maskedCapture } from "./shell-capture.ts";
import { childEnv } from "./shell-env.ts";
import { type GroupGuard, openGuard } from "./shell-guard.ts";

/**
 * `env` is the parent's whole environment: what children see of it is decided here, in one place. `hidden`: values that none
 * of it may carry. What scripts print is masked; programs are ours, and the tool that runs one masks what it takes of it.
 * `confine` puts a script, and only a script, into a sandbox.
 */
export function nodeShell(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bash?: string;
  readonly graceMs?: number;
  readonly childEnv?: ChildEnv;
  readonly hidden?: readonly string[];
  readonly mask?: Mask;
  readonly confine?: Confine;
}): Shell {
  const { bash = "bash", graceMs = bounds.killGraceMs, mask = noMask, confine } = options;
  const env = childEnv(options.env, options.childEnv, options.hidden);
  return {
    run: async (request, signal) => {
      const isScript = request.command.type === "script";
      const output = isScript
        ? maskedCapture(request.bytesMax, mask, liveText(request.onOutput))
        : createCapture(request.bytesMax);
      const errorOutput = createCapture(request.bytesMax);
      const isConfined = isScript && confine !== undefined;
      const run: Run = { request, signal, output, errorOutput, graceMs, env, bash, isConfined };
      const { end, leftBehind } = signal.aborted
        ? { end: { type: "interrupted" } as const, leftBehind: "none" as const }
        : await guardedRun(run, confine);
      return { end, output: output.result(), errorOutput: errorOutput.result(), leftBehind };
    },
  };
}

type Run = {
  readonly request: RunRequest;
  readonly signal: AbortSignal;
  readonly output: Capture;
  readonly errorOutput: Capture;
  readonly graceMs: number;
  readonly env: Readonly<Record<string, string>>;
  readonly bash: string;
  readonly isConfined: boolean;
};

/**
 * A script's bash joins its streams before it becomes the script's own bash, or the sandbox that runs that: one pipe, so lines stand in the order they
 * were written, and the script sees nothing of it. A crash leaves no core file, which would hold what the command held.
 * `detached` makes the process group that signals go to.
 */
function start(
  request: RunRequest,
  env: Record<string, string>,
  bash: string,
  confine: Confine | undefined,
): ChildProcess | string {
  const { command, cwd, input } = request;
  const isGated = request.guard !== undefined && command.type === "script";
  const plain = ["--noprofile", "--norc", "-c", "--"];
  const script = (text: string): Call => {
    const inner = confined({ path: bash, args: [...plain, text] }, cwd, confine);
    const joined = `${isGated ? gate : ""}ulimit -Sc 0; exec "$0" "$@" 2>&1`;
    return { path: bash, args: [...plain, joined, inner.path, ...inner.args] };
  };
  const { path, args } = command.type === "script" ? script(command.text) : command;
  try {
    const stdin = input === undefined ? "ignore" : "pipe";
    const beside = isGated ? (["pipe"] as const) : [];
    return spawn(path, args, { cwd, env, detached: true, stdio: [stdin, "pipe", "pipe", ...beside] });
  } catch (error) {
    // Arguments that no process can take: a NUL byte, or more than the system allows.
    return explain(error);
  }
}

/** A script that somebody guards does not begin before its guard knows of it, and not at all where we are gone by then. */
const gate = "read -r _ <&3 || exit; exec 3<&-; ";

function openGate({ stdio }: ChildProcess): void {
  const [, , , opening] = stdio;
  if (opening === undefined || opening === null || !("write" in opening)) return;
  opening.on("error", () => {});
  opening.end("go\n");
}

type Call = ReturnType<Confine>;

function confined(program: Call, cwd: string, confine: Confine | undefined): Call {
  return confine === undefined ? program : confine(program, cwd);
}

type Ended = Pick<RunResult, "end" | "leftBehind">;

async function guardedRun(run: Run, confine: Confine | undefined): Promise<Ended> {
  const { request, env, bash } = run;
  const guard = request.guard === undefined ? null : openGuard(env, bash);
  try {
    return await runToEnd(start(request, env, bash, confine), run, guard);
  } finally {
    guard?.release();
  }
}

async function runToEnd(child: ChildProcess | string, run: Run, guard: GroupGuard | null): Promise<Ended> {
  if (typeof child === "string") return { end: { type: "not-started", why: child }, leftBehind: "none" };
  if (child.pid !== undefined) guard?.watch(child.pid);
  openGate(child);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const release = endWithParent(child);
  listen(child, run);
  const cut = await firstOf(child, run);
  if (cut.type === "not-started") {
    release();
    return { end: cut, leftBehind: "none" };
  }
  const leftBehind = await (run.isConfined ? endSandbox : endGroup)(child, closed, run.graceMs);
  release();
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { end: cut, leftBehind: cut.type === "exited" || leftBehind === "gave-up" ? leftBehind : "none" };
}

function listen(child: ChildProcess, run: Run): void {
  const { onBytes = () => {} } = run.request;
  const into = (capture: Capture) => (chunk: Uint8Array) => {
    capture.add(chunk);
    onBytes(chunk.length);
  };
  child.stdout?.on("data", into(run.output));
  child.stderr?.on("data", into(run.errorOutput));
  // Who does not read it, or ends first, breaks the pipe: its own business. What is not read waits here and holds nobody up.
  child.stdin?.on("error", () => {});
  child.stdin?.end(run.request.input ?? "");
}

/** What comes first: the command's own end, its time limit, the signal, or a failure to start. */
function firstOf(child: ChildProcess, { request, signal }: Run): Promise<RunEnd> {
  return new Promise((resolve) => {
    const done = (end: RunEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(end);
    };
    const onAbort = (): void => done({ type: "interrupted" });
    const timer = setTimeout(() => done({ type: "timed-out" }), request.timeoutMs);
    signal.addEventListener("abort", onAbort);
    child.on("error", (error) => done({ type: "not-started", why: whyNotStarted(error, request) }));
    child.on("exit", (code, killedBy) => {
      done(code === null ? { type: "killed", signal: killedBy ?? "unknown" } : { type: "exited", exitCode: code });
    });
  });
}

/** The system blames the program when the folder is missing. */
function whyNotStarted(error: Error, request: RunRequest): string {
  return `${explain(error)} (folder ${request.cwd}; ${error.message})`;
}

/**
 * Asks the group to end, then makes it, then gives up: each with its own grace. Covers what the command left running in
 * the background, also when it keeps the pipes open; only what left the group itself (`setsid`) can outlive this.
 */
async function endGroup(child: ChildProcess, closed: Promise<void>, graceMs: number): Promise<RunResult["leftBehind"]> {
  if (!signalGroup(child, 0)) return (await within(closed, graceMs)) ? "none" : "gave-up";
  signalGroup(child, "SIGTERM");
  if (!(await groupEnded(child, graceMs))) signalGroup(child, "SIGKILL");
  // Not asked again whether the group is gone: where nobody collects the dead (some containers), it never looks so.
  return (await within(closed, graceMs)) ? "ended" : "gave-up";
}

/**
 * Nothing leaves a sandbox and nothing in it outlives its first process, so its pipes say when it is over. Its own last
 * process may lie there uncollected for good, where nobody collects the dead: the group would look alive.
 */
async function endSandbox(
  child: ChildProcess,
  closed: Promise<void>,
  graceMs: number,
): Promise<RunResult["leftBehind"]> {
  if (child.exitCode === null && child.signalCode === null) signalGroup(child, "SIGTERM");
  if (await within(closed, graceMs)) return "none";
  signalGroup(child, "SIGKILL");
  return (await within(closed, graceMs)) ? "ended" : "gave-up";
}
