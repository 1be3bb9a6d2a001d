import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSession, type OpenSession } from "../../src/index.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { State } from "../../src/log/state.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { parseSettings } from "../../src/workspace/settings.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varve-hooked-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A session of the product with real hooks of one settings text, and a model that runs one command. */
async function hooked(hooks: object, command = "echo ran > ran.txt", call?: object): Promise<OpenSession> {
  const parsed = parseSettings(JSON.stringify({ hooks }), { file: "settings", scope: "user", written: "ours" });
  if (parsed.type === "bad") throw new Error(parsed.why);
  const calls = [{ id: "c1", tool: "Bash", input: { command }, ...call }];
  return await createSession({
    model: "claude-sonnet-5-5",
    endpoints: {},
    cwd: folder,
    home: join(folder, "home"),
    userFolder: null,
    mode: "bypassPermissions",
    hooks: parsed.settings.hooks,
    world: {
      model: scriptedModel([{ text: "I run it.", calls }, { text: "Done." }, { text: "More." }]),
      env: { PATH: process.env.PATH, DEPLOY_TOKEN: "tok-0123456789-secret" },
    },
  });
}

const on = (event: string, command: string, timeout = 20, matcher = "") => ({
  [event]: [{ matcher, hooks: [{ type: "command", command, timeout }] }],
});
const resultsOf = ({ live }: State) => live.flatMap(({ block }) => (block.type === "tool-result" ? [block.text] : []));
const isRun = () => existsSync(join(folder, "ran.txt"));

test("a script guards a call: it reads what is to run, refuses it with its reason, and no secret of the environment reaches it", async () => {
  const script = `input=$(cat); printf '%s' "$input" > told.json; env > env.txt; case "$input" in *ran.txt*) echo "ran.txt is not yours" >&2; exit 2;; esac`;
  const session = await hooked(on("PreToolUse", script, 20, "Bash|Write"));
  await session.prompt("go");
  expect(isRun()).toBe(false);
  expect(String(resultsOf(session.state())[0])).toContain("ran.txt is not yours");
  const told = JSON.parse(readFileSync(join(folder, "told.json"), "utf8"));
  expect(told).toMatchObject({
    session_id: session.id,
    cwd: folder,
    permission_mode: "bypassPermissions",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "echo ran > ran.txt" },
    tool_use_id: "c1",
  });
  expect(existsSync(told.transcript_path)).toBe(true);
  const env = readFileSync(join(folder, "env.txt"), "utf8");
  expect(env).not.toContain("tok-0123456789-secret");
  expect(env).toContain(`VARVE_PROJECT_DIR=${folder}`);
  await session.close();
});

test("a guard that was written for Claude Code finds the file under its name there, and may turn the call to another", async () => {
  const script = (file: string) => `input=$(cat); case "$input" in *'"file_path":"${folder}/${file}"'*) exit 2;; esac`;
  const write = { tool: "Write", input: { path: "sub/../ran.txt", content: "x" } };
  const refused = await hooked(on("PreToolUse", script("ran.txt"), 20, "Write|Edit"), "", write);
  await refused.prompt("go");
  expect(isRun()).toBe(false);
  await refused.close();
  const updatedInput = { file_path: join(folder, "ran.txt"), content: "y" };
  const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } });
  const other = { tool: "Write", input: { path: "other.txt", content: "x" } };
  const turned = await hooked(on("PreToolUse", `echo '${answer}'`, 20, "Write"), "", other);
  await turned.prompt("go");
  expect([isRun(), existsSync(join(folder, "other.txt"))]).toEqual([true, false]);
  await turned.close();
});

const answers = (said: object) =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...said } })}'`;

test.each([
  ["refuses it", "echo not here >&2; exit 2", false],
  ["breaks", "exit 1", false],
  ["asks", answers({ permissionDecision: "ask" }), false],
  ["has no objection", "cat > told.json", true],
  ["gives it another input", answers({ updatedInput: { command: "echo ran > ran.txt" } }), true],
])(
  "a guard is told of a shell line in a command before it runs, and where it %s, that counts",
  async (_how, guard, runs) => {
    mkdirSync(join(folder, ".varve/commands"), { recursive: true });
    const line = runs && guard.startsWith("echo") ? "touch other.txt" : "echo ran > ran.txt";
    writeFileSync(join(folder, ".varve/commands/go.md"), `Look: !\`${line}\``);
    const session = await hooked(on("PreToolUse", guard, 20, "Bash"), "true");
    const result = await session.command("/go");
    expect(result.type).toBe(runs ? "turn" : "refused");
    expect(isRun()).toBe(runs);
    expect(existsSync(join(folder, "other.txt"))).toBe(false);
    expect(session.state().hooks.open).toEqual({});
    await session.close();
  },
);

test.each([
  ["crashes", "kill -SEGV $$"],
  ["hangs", "trap '' TERM; sleep 60 & wait"],
  ["floods", "cat /dev/zero"],
  ["prints rubbish", "head -c 300 /dev/urandom"],
  ["is not there", "no-such-guard"],
])("a guard that %s lets nothing through, even where nothing asks, and the session goes on", async (_how, command) => {
  const session = await hooked(on("PreToolUse", command, 0.3));
  expect(await session.prompt("go")).toMatchObject({ text: "Done." });
  expect(isRun()).toBe(false);
  await session.close();
});

test("a hook that hangs, floods and crashes elsewhere is reported and costs nothing but its time", async () => {
  const session = await hooked({
    ...on("SessionStart", "sleep 60", 0.2),
    ...on("UserPromptSubmit", "exit 7"),
    ...on("PostToolUse", `head -c ${bounds.hookFloodBytesMax * 2} /dev/zero`),
    ...on("Stop", "echo '{\"decision\":'"),
  });
  const outcomes: string[] = [];
  session.listen((event) => {
    if (event.type === "entry" && event.entry.type === "hook-ended")
      outcomes.push(`${event.entry.event} ${event.entry.outcome}`);
  });
  expect(await session.prompt("go")).toMatchObject({ reason: "done", text: "Done." });
  expect(isRun()).toBe(true);
  expect(outcomes).toEqual([
    "SessionStart timed-out",
    "UserPromptSubmit failed",
    "PostToolUse flooded",
    "Stop unreadable",
  ]);
  await session.close();
});

test("a hook's words and its command are masked before they are kept; what it gives a call is what runs", async () => {
  const output = JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      updatedInput: { command: "echo other > other.txt" },
      additionalContext: "the key is tok-0123456789-secret",
    },
  });
  const session = await hooked(on("PreToolUse", `echo '${output}'`));
  await session.prompt("go");
  expect([isRun(), existsSync(join(folder, "other.txt"))]).toEqual([false, true]);
  expect(readFileSync(join(folder, "home", "sessions", session.id, "main.jsonl"), "utf8")).not.toContain("tok-0123");
  await session.close();
});

test("an interrupt ends a guard that hangs, with all that it started", async () => {
  const session = await hooked(on("PreToolUse", "sleep 60 & echo $! > pid; wait"));
  const turn = session.prompt("go");
  const pidSaid = () => (existsSync(join(folder, "pid")) ? readFileSync(join(folder, "pid"), "utf8").trim() : "");
  while (pidSaid() === "") await new Promise((resolve) => setTimeout(resolve, 10));
  await session.interrupt("the test");
  expect(await turn).toMatchObject({ reason: "interrupted" });
  await session.close();
  const pid = pidSaid();
  const left = existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
  expect(left).toBe("");
});

test("a lane beside the main one has a beginning and an end of its own, with the lane's name; the session's are not told of it", async () => {
  mkdirSync(join(folder, ".varve", "commands"), { recursive: true });
  writeFileSync(join(folder, ".varve", "commands", "apart.md"), "---\ncontext: fork\n---\nDo it apart.\n");
  const told = `{ cat; echo; } >> events.jsonl`;
  const session = await hooked(
    Object.assign({}, ...["SessionStart", "SubagentStart", "SubagentStop", "Stop"].map((event) => on(event, told))),
  );
  expect(await session.command("/apart")).toMatchObject({ type: "lane" });
  const events = readFileSync(join(folder, "events.jsonl"), "utf8").trim().split("\n");
  expect(events.map((line) => JSON.parse(line))).toMatchObject([
    { hook_event_name: "SubagentStart", session_id: session.id, agent_id: "lane-1", agent_type: "fork" },
    { hook_event_name: "SubagentStop", agent_id: "lane-1", stop_hook_active: false, last_assistant_message: "Done." },
  ]);
  await session.close();
});

test("what hooks said of a command has its end in the log, also where the message is kept back then", async () => {
  mkdirSync(join(folder, ".varve/commands"), { recursive: true });
  writeFileSync(join(folder, ".varve/commands/go.md"), "Look");
  const session = await hooked({ ...on("UserPromptExpansion", "true"), ...on("UserPromptSubmit", "exit 2") });
  expect(await session.command("/go")).toMatchObject({ turn: { reason: "permission-refused" } });
  expect(session.state().hooks.open).toEqual({});
  await session.close();
});
