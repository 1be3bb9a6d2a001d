import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { mainLane } from "../../src/kernel/ids.ts";
import { wires } from "../../src/kernel/usage.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Entry } from "../../src/log/entry.ts";
import { usualModel } from "../../src/provider/usual-model.ts";
import { createSession } from "../../src/session/create-session.ts";
import type { OpenSession, SessionOptions } from "../../src/session/options.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { wallClock } from "../support/real-session.ts";
import { simulatedModel } from "../support/simulated-model.ts";

let root = "";
let work = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "varve-command-")));
  work = join(root, "w");
  mkdirSync(join(work, ".git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const command = (name: string, text: string) => write(`w/.claude/commands/${name}.md`, text);

type Opened = { readonly session: OpenSession; readonly bodies: string[]; readonly notes: string[] };

async function open(
  replies: readonly BrainReply[] = [{ text: "done" }],
  more: Partial<SessionOptions> = {},
): Promise<Opened> {
  const model = simulatedModel(createSimulation({ brain: scriptedBrain(replies) }), () => Date.now());
  const bodies: string[] = [];
  const notes: string[] = [];
  const session = await createSession({
    model: "claude-sonnet-4-6",
    endpoints: {},
    cwd: work,
    home: join(root, "home"),
    userFolder: join(root, "user"),
    onNote: (note) => notes.push(note),
    isTrusted: async () => true,
    world: {
      stores: fileStore({ root: join(root, "home"), clock: wallClock, sync: false }),
      model: {
        stream: (request, signal) => {
          bodies.push(request.body);
          return model.stream(request, signal);
        },
      },
      env: { PATH: process.env.PATH },
    },
    ...more,
  });
  return { session, bodies, notes };
}

/** What the user's side of a request says, block by block. */
const userTexts = (body: string | undefined) =>
  cut("anthropic", body ?? "").flatMap(({ role, text }) => (role === "user" && text !== null ? [text] : []));
const commandIn = (body: string | undefined) => userTexts(body).find((text) => text.includes("<command name=")) ?? "";

describe("a command file is called by its name", () => {
  test("its text stands beside the message, which says what was typed, and both are in the log before they are sent", async () => {
    command("frontend/fix", "---\ndescription: Fix\narguments: issue\n---\nFix $issue in $1. All: $ARGUMENTS");
    const { session, bodies } = await open();
    expect(await session.command("/frontend:fix 12  'my app'")).toMatchObject({
      type: "turn",
      turn: { reason: "done" },
    });
    expect(userTexts(bodies[0]).at(-1)).toBe("/frontend:fix 12  'my app'");
    expect(commandIn(bodies[0])).toContain("Fix 12 in my app. All: 12  'my app'");
    expect(commandIn(bodies[0])).toContain(".claude/commands/frontend/fix.md (the project's)");
    await session.close();
  });

  test("C-099 · arguments reach a shell line as typed: nothing is run or expanded, and the text has them unchanged", async () => {
    command(
      "echo",
      '---\nallowed-tools: Bash(echo:*)\n---\nText: $ARGUMENTS\n\n!`echo $ARGUMENTS`\n!`echo "in quotes: $ARGUMENTS"`',
    );
    const { session, bodies } = await open([{ text: "done" }], { mode: "acceptEdits" });
    const typed = 'don\'t "do" it; touch pwned $(id) `id`';
    expect(await session.command(`/echo ${typed}`)).toMatchObject({ type: "turn" });
    const text = commandIn(bodies[0]);
    expect(text).toContain(`Text: ${typed}\n`);
    expect(text).toContain(`>${typed}</output>`);
    expect(text).toContain(`>in quotes: ${typed}</output>`);
    expect(existsSync(join(work, "pwned"))).toBe(false);
    await session.close();
  });

  test("files it names come behind its text, by range, once, and what names none stays text", async () => {
    write("w/src/a.ts", "one\ntwo\nthree\n</file>\n");
    command("look", "See @src/a.ts#L2-3 and @src/a.ts:2-3, not @nobody or me@src/a.ts.");
    const { session, bodies } = await open();
    await session.command("/look");
    const text = commandIn(bodies[0]);
    expect(text).toContain("See @src/a.ts#L2-3 and @src/a.ts:2-3, not @nobody or me@src/a.ts.");
    expect(text.match(/<file path="src\/a.ts" lines="2-3">/g)).toHaveLength(1);
    expect(text).toContain("two");
    expect(text).not.toContain("one");
    // Known as what it is: what is hidden from reading later is hidden from a search by this.
    expect([...itemsOf(session.state().originals)].map(({ tool }) => tool)).toContain("Read");
    await session.close();
  });

  test("long output enters in its first form, and its handle brings the original back", async () => {
    command("long", "---\nallowed-tools: Bash(seq:*)\n---\n!`seq 1 20000`");
    const { session, bodies } = await open();
    await session.command("/long");
    const text = commandIn(bodies[0]);
    expect(text.length).toBeLessThan(20_000);
    const handle = /recall[^\n]*?handle=(\w+)/.exec(text)?.[1];
    const kept = [...itemsOf(session.state().originals)].find((one) => one.handle === handle);
    expect(kept?.text).toMatchObject({ chars: 108_894 });
    await session.close();
  });
});

describe("what stops a command stops it before anything is sent", () => {
  test.each([
    ["a shell line that must be asked for, with nobody to ask", "!`touch made`", /nobody can be asked/],
    ["a shell line that no list of its own names", "---\nallowed-tools: Read\n---\n!`git status`", /allowed-tools/],
    ["a file outside the workspace", "@/etc/passwd", /outside the workspace/],
    ["an argument where it cannot be one word", "!`cat <<EOF $0`", /argument/],
    ["fields that cannot be read", "---\nallowed-tools: Read\nglobs: *.ts\n---\nx", /x\.md:3/],
    ["an agent of one's own", "---\nagent: other\n---\nx", /agent other/],
  ])("%s", async (_what, text, why) => {
    command("x", text);
    const { session, bodies } = await open();
    const result = await session.command("/x a");
    expect(result.type).toBe("refused");
    expect("why" in result ? result.why : "").toMatch(why);
    expect(bodies).toEqual([]);
    expect(existsSync(join(work, "made"))).toBe(false);
    await session.close();
  });

  test("all is decided before the first line runs", async () => {
    command("two", "---\nallowed-tools: Bash(touch:*)\n---\n!`touch first`\n!`rm x`");
    const { session } = await open();
    expect((await session.command("/two")).type).toBe("refused");
    expect(existsSync(join(work, "first"))).toBe(false);
    await session.close();
  });

  test("a rule of the user's that refuses to read holds for the files of a command", async () => {
    write("w/.env", "KEY=1");
    command("x", "@.env");
    const rule = { kind: "deny", text: "Read(.env)", file: "s", scope: "user", tool: "Read" } as const;
    const { pathPattern } = await import("../../src/workspace/rule-path.ts");
    const pattern = pathPattern(".env");
    if (pattern.type === "bad") throw new Error(pattern.why);
    const rules = [{ ...rule, spec: { type: "path", pattern: pattern.pattern } as const }];
    const { session, bodies } = await open([{ text: "done" }], { permissions: { rules } });
    expect(await session.command("/x")).toMatchObject({ type: "refused", why: expect.stringContaining("Read(.env)") });
    expect(bodies).toEqual([]);
    await session.close();
  });
});

test("a text that leaves no room for the work is refused with both sizes, before anything is sent", async () => {
  command("big", "word ".repeat(20_000));
  const { session, bodies } = await open([{ text: "done" }], { window: { windowTokens: 32_000 } });
  expect(await session.command("/big")).toMatchObject({
    type: "refused",
    why: expect.stringMatching(/about \d+ tokens/),
  });
  expect(await session.command("go on")).toMatchObject({ type: "turn", turn: { reason: "done" } });
  expect(bodies).toHaveLength(1);
  await session.close();
});

test("an interrupt ends a shell line that fills a command, and nothing is sent", async () => {
  command("slow", "---\nallowed-tools: Bash(sleep:*)\n---\n!`sleep 60`");
  const { session, bodies } = await open();
  const begun = new Promise<void>((resolve) => {
    session.listen(({ type, ...event }) => {
      if (type === "entry" && "entry" in event && event.entry.type === "placeholder-started") resolve();
    });
  });
  const result = session.command("/slow");
  await begun;
  await session.interrupt("a test");
  expect(await result).toMatchObject({ type: "refused", by: "interrupt", why: "it was interrupted" });
  expect(bodies).toEqual([]);
  expect(session.state().placeholders).toEqual({});
  await session.close();
});

test("a shell line whose end nobody learned is named when the session is opened again, and not run again", async () => {
  command("x", "---\nallowed-tools: Bash(touch:*)\n---\n!`touch made`");
  const stores = fileStore({ root: join(root, "home"), clock: wallClock, sync: false });
  const { session } = await open();
  await session.command("say hello");
  const { id } = session;
  await session.close();
  const stream = { type: "lane", session: id, lane: mainLane } as const;
  const lease = await stores.log.lease(stream, "a test");
  if (lease.type !== "leased") throw new Error(lease.type);
  const started = { type: "placeholder-started", run: "r", command: "/x", what: "touch made" } as const;
  const entries = [{ ...started, allowed: true, by: "rule", why: "" } as const];
  await stores.log.append({ stream, expectedSeq: session.state().seq, fence: lease.fence, entries });
  await lease.release();
  const again = await open([], { open: { type: "resume", session: id } });
  expect(again.session.state().placeholders).toEqual({});
  expect(existsSync(join(work, "made"))).toBe(false);
  const log: Entry[] = [];
  for await (const entry of stores.log.read(stream, null)) log.push(entry);
  expect(log.at(-1)).toMatchObject({ type: "placeholder-ended", run: "r", ending: "unknown" });
  await again.session.close();
});

describe.each(wires)("on the wire %s", (wire) => {
  test("what was sent stays as it was when a command is called and when its turn is over", async () => {
    command("look", "See $0.");
    const model = {
      anthropic: "claude-sonnet-4-6",
      chat: "deepseek-v4-pro",
      responses: "gpt-6.2-sol",
      gemini: "gemini-3.5-flash",
    };
    const { session, bodies } = await open([{ text: "1" }, { text: "2" }, { text: "3" }], {
      model: usualModel(model[wire], wire),
    });
    for (const line of ["hello", "/look here", "and now"])
      expect(await session.command(line)).toMatchObject({ type: "turn" });
    const lists = bodies.map((body) => cut(wire, body).map(({ hash }) => hash));
    expect(lists).toHaveLength(3);
    for (const at of [1, 2]) expect(lists[at]?.slice(0, lists[at - 1]?.length)).toEqual(lists[at - 1]);
    await session.close();
  });
});

describe("what a command says of tools holds for its turn", () => {
  const calls = (...inputs: readonly string[]): readonly BrainReply[] => [
    ...inputs.map((line) => ({ calls: [{ tool: "Bash", input: { command: line } }] })),
    { text: "done" },
  ];
  const results = (entries: readonly Entry[]) =>
    entries.flatMap((entry) => (entry.type === "tool-returned" ? [entry.ending] : []));

  test("its list runs unasked, other calls are refused, no tool leaves the prompt, and the next turn is free of it", async () => {
    command("touch", "---\nallowed-tools: Bash(touch:*)\n---\nDo it.");
    const { session, bodies } = await open([...calls("touch a", "mkdir b"), ...calls("mkdir c")], {
      mode: "default",
      ask: async () => ({ allowed: true, why: "yes" }),
    });
    const entries: Entry[] = [];
    session.listen((event) => void (event.type === "entry" && entries.push(event.entry)));
    await session.command("/touch");
    expect(results(entries)).toEqual(["done", "refused"]);
    await session.prompt("now");
    expect(results(entries)).toEqual(["done", "refused", "done"]);
    const tools = bodies.map((body) => JSON.stringify(JSON.parse(body).tools));
    expect(new Set(tools).size).toBe(1);
    await session.close();
  });

  test("of a project that was not approved the list limits and frees nothing, which is said", async () => {
    command("touch", "---\nallowed-tools: Bash(touch:*)\n---\nDo it.");
    const { session, notes } = await open(calls("touch a"), { isTrusted: async () => false });
    await session.command("/touch");
    expect(existsSync(join(work, "a"))).toBe(false);
    expect(notes).toContainEqual(expect.stringContaining("was not approved"));
    await session.close();
  });
});

describe("local commands and text", () => {
  test("local commands send nothing", async () => {
    command("status", "---\ndescription: hidden by a local one\n---\nx");
    command("mine", "---\ndescription: My own\nargument-hint: [file]\n---\nx");
    const { session, bodies } = await open();
    const help = await session.command("/help");
    expect(help).toMatchObject({ type: "told", text: expect.stringMatching(/\/mine file +My own/) });
    expect(help).toMatchObject({ text: expect.stringMatching(/\/status/) });
    expect(help).toMatchObject({ text: expect.not.stringMatching(/hidden by a local one/) });
    for (const line of [
      "/status",
      "/context",
      "/cost",
      "/facts pin Never push.",
      "/facts",
      "/memory",
      "/skills",
      "/model",
      "/mode plan",
      "/mode",
    ])
      expect([line, (await session.command(line)).type]).toEqual([line, "told"]);
    expect(session.state().mode).toBe("plan");
    expect(session.state().facts.active).toHaveLength(1);
    for (const line of ["/compact", "/undo", "/mode bypassPermissions", "/facts what", "/model gpt-x"])
      expect([line, (await session.command(line)).type]).toEqual([line, line === "/model gpt-x" ? "told" : "refused"]);
    expect(bodies).toEqual([]);
    await session.close();
  });

  test("a command whose model no service is there for is not run, and says what its name was taken for", async () => {
    command("quick", "---\nmodel: quickling\n---\nThink");
    const stores = fileStore({ root: join(root, "home"), clock: wallClock, sync: false });
    const { session, bodies } = await open([], { endpoints: { anthropic: { apiKey: "k" } }, world: { stores } });
    expect(await session.command("/quick")).toEqual({
      type: "refused",
      why: "/quick is not run: model quickling is taken for one of the protocol chat, for which this session has no key and no address; `varve models` lists the names that are known",
    });
    expect(bodies).toEqual([]);
    await session.close();
  });
  test("an unknown name lists near ones, a path is text, and a second slash says it literally", async () => {
    command("deploy", "x");
    const { session, bodies } = await open([{ text: "1" }, { text: "2" }, { text: "3" }]);
    expect(await session.command("/deplyo now")).toMatchObject({
      type: "unknown",
      why: expect.stringContaining("/deploy"),
    });
    expect(bodies).toEqual([]);
    for (const [line, text] of [
      ["/etc/hosts is wrong", "/etc/hosts is wrong"],
      ["/tmp is full", "/tmp is full"],
      ["//deploy is slow", "/deploy is slow"],
    ] as const) {
      expect(await session.command(line)).toMatchObject({ type: "turn" });
      expect(userTexts(bodies.at(-1)).at(-1)).toBe(text);
    }
    await session.close();
  });
});
