import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import type { EntryOf } from "../../src/log/entry.ts";
import type { HookEvent } from "../../src/log/hook.ts";
import type { Hook, HookEnd, HookInput, HookRan, Hooks } from "../../src/ports/hooks.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { saidIn, segmentsOf } from "../support/bodies.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

type Says = HookRan | ((input: HookInput, signal: AbortSignal) => Promise<HookRan> | HookRan);

const ran = (end: HookEnd, output: unknown = "", errorOutput = ""): HookRan => ({
  end,
  output: typeof output === "string" ? output : JSON.stringify(output),
  errorOutput,
});
const code = (exitCode: number, output: unknown = "", errorOutput = "") =>
  ran({ type: "exited", exitCode }, output, errorOutput);
const own = (event: HookEvent, fields: object) => code(0, { hookSpecificOutput: { hookEventName: event, ...fields } });

/** Hooks by event, each a command named by the event and its place; what each was told stands in `told`. */
function fakeHooks(table: Partial<Record<HookEvent, readonly Says[]>>) {
  const told: { readonly event: HookEvent; readonly subject?: string; readonly input: HookInput }[] = [];
  const subjects: string[] = [];
  const hooks: Hooks = {
    due(event, subject) {
      const says = table[event] ?? [];
      if (says.length > 0) subjects.push(`${event} ${subject}`.trim());
      return says.map((_, at): Hook => ({ event, command: `${event}-${at}`, timeoutMs: 1_000, file: "settings" }));
    },
    async run({ event, command }, input, signal) {
      told.push({ event, input });
      const says = table[event]?.[Number(command.split("-")[1])];
      if (says === undefined) throw new Error("no such hook");
      return typeof says === "function" ? await says(input, signal) : says;
    },
  };
  return { hooks, told, subjects };
}

const callsOnce = (input: object = { at: "a" }, tool = "look") =>
  [{ text: "I look.", calls: [{ id: "c1", tool, input }] }, { text: "Done." }] as const;

async function playing(
  table: Parameters<typeof fakeHooks>[0],
  given: Partial<Parameters<typeof testWorld>[0]> & { readonly replies?: Parameters<typeof scriptedModel>[0] } = {},
) {
  const { hooks, told, subjects } = fakeHooks(table);
  const ranWith: unknown[] = [];
  const bodies: string[] = [];
  const scripted = scriptedModel(given.replies ?? callsOnce());
  const world: TestWorld = await testWorld({
    model: {
      async *stream(request, signal) {
        bodies.push(request.body);
        yield* scripted.stream(request, signal);
      },
    },
    tools: [
      fakeTool("look", true, async (input) => {
        ranWith.push(input);
        return "seen";
      }),
    ],
    hooks,
    ...given,
  });
  return { world, told, subjects, ranWith, bodies, session: await world.open() };
}

async function entriesOf<
  T extends EntryOf<"hook-ended">["type"] | "permission-decided" | "tool-returned" | "hook-started",
>(world: TestWorld, type: T) {
  const all = await world.entries();
  return all.filter((entry): entry is EntryOf<T> & (typeof all)[number] => entry.type === type);
}

const attached = async (world: TestWorld) =>
  (await world.entries()).flatMap((entry) =>
    entry.type === "text-attached" && entry.attachment.kind === "hook" ? [String(entry.attachment.text)] : [],
  );

test("a session without hooks writes nothing of them", async () => {
  const { world, session } = await playing({});
  await session.prompt("go");
  await session.close();
  expect((await world.entries()).filter(({ type }) => type.startsWith("hook"))).toEqual([]);
});

test("each hook has an intent before it runs and a result after it, in the order of the settings", async () => {
  const { world, session, told } = await playing({ PostToolUse: [code(0), code(1, "", "no formatter")] });
  await session.prompt("go");
  const started = await entriesOf(world, "hook-started");
  const ended = await entriesOf(world, "hook-ended");
  expect(started).toMatchObject([
    { event: "PostToolUse", command: "PostToolUse-0", callId: "c1" },
    { event: "PostToolUse", command: "PostToolUse-1", callId: "c1" },
  ]);
  expect(ended).toMatchObject([
    { outcome: "done", exitCode: 0 },
    { outcome: "failed", exitCode: 1, detail: "exit code 1: no formatter" },
  ]);
  expect(ended.map(({ run }) => run)).toEqual(started.map(({ run }) => run));
  expect(told[0]?.input).toMatchObject({
    permission_mode: "default",
    tool_name: "look",
    tool_input: { at: "a" },
    tool_use_id: "c1",
    tool_response: { success: true, output: "seen" },
  });
});

describe("PreToolUse", () => {
  const decision = async (world: TestWorld) => (await entriesOf(world, "permission-decided"))[0];

  test("exit code 2 refuses the call with what the hook said", async () => {
    const { world, session, ranWith } = await playing({ PreToolUse: [code(2, "", "not on Fridays")] });
    await session.prompt("go");
    expect(await decision(world)).toMatchObject({ allowed: false, by: "hook" });
    expect(ranWith).toEqual([]);
    expect((await entriesOf(world, "tool-returned"))[0]).toMatchObject({ ending: "refused" });
    expect(String((await entriesOf(world, "tool-returned"))[0]?.output)).toContain("not on Fridays");
  });

  test.each([
    ["deny before ask and allow", ["allow", "ask", "deny"], { allowed: false, by: "hook" }],
    ["ask before allow", ["allow", "ask"], { allowed: true, by: "user" }],
    ["allow where nobody says more", ["allow", "allow"], { allowed: true, by: "hook" }],
  ] as const)("of several hooks: %s", async (_what, said, expected) => {
    const { world, session } = await playing(
      { PreToolUse: said.map((permissionDecision) => own("PreToolUse", { permissionDecision })) },
      {
        permission: ({ allowedBy }) => ({ type: allowedBy === "hook" ? "allow" : "ask", why: "" }),
        ask: async () => ({ allowed: true, why: "" }),
      },
    );
    await session.prompt("go");
    expect(await decision(world)).toMatchObject(expected);
  });

  test("what a hook allows is still judged: a refusal stands, and a question stands", async () => {
    const allows = { PreToolUse: [own("PreToolUse", { permissionDecision: "allow" })] };
    const denied = await playing(allows, { permission: () => ({ type: "deny", why: "a rule", by: "rule" }) });
    await denied.session.prompt("go");
    expect(await decision(denied.world)).toMatchObject({ allowed: false, by: "rule" });
    const asked = await playing(allows, { permission: () => ({ type: "ask", why: "a rule", by: "rule" }) });
    await asked.session.prompt("go");
    expect(await decision(asked.world)).toMatchObject({ allowed: false, by: "rule" });
    expect(asked.ranWith).toEqual([]);
  });

  test.each<[string, Says]>([
    ["crashes", ran({ type: "killed", signal: "SIGSEGV" })],
    ["fails", code(1)],
    ["hangs", ran({ type: "timed-out" })],
    ["floods", ran({ type: "flooded" })],
    ["prints rubbish", code(0, '{"hookSpecificOutput": {')],
    ["throws", () => Promise.reject(new Error("thrown"))],
  ])(
    "one that %s fails closed: what would run unasked is asked for, and refused where nobody can be asked",
    async (_what, says) => {
      const alone = await playing({ PreToolUse: [says] });
      await alone.session.prompt("go");
      expect(await decision(alone.world)).toMatchObject({ allowed: false, by: "hook" });
      expect(alone.ranWith).toEqual([]);
      const withUser = await playing({ PreToolUse: [says] }, { ask: async () => ({ allowed: true, why: "looked" }) });
      await withUser.session.prompt("go");
      expect(await decision(withUser.world)).toMatchObject({ allowed: true, by: "user" });
    },
  );

  test("another input is parsed, judged and run; what the model said stays, and it is told", async () => {
    const seen: unknown[] = [];
    const { world, session, ranWith, bodies } = await playing(
      {
        PreToolUse: [
          own("PreToolUse", { updatedInput: { at: "b" } }),
          own("PreToolUse", { updatedInput: { at: "c" } }),
        ],
      },
      {
        permission: ({ input }) => {
          seen.push(input);
          return { type: "allow", why: "" };
        },
      },
    );
    await session.prompt("go");
    expect(seen).toEqual([{ at: "b" }]);
    expect(ranWith).toEqual([{ at: "b" }]);
    expect((await world.entries()).find(({ type }) => type === "input-rewritten")).toMatchObject({
      callId: "c1",
      input: '{"at":"b"}',
    });
    expect(bodies[1]).toContain('"input":{"at":"a"}');
    expect((await attached(world))[0]).toContain('it runs with this one: {"at":"b"}');
  });

  test("another input that the tool does not take refuses the call", async () => {
    const strict = fakeTool("look", true, async () => "seen");
    const tool = {
      ...strict,
      parse: (input: unknown) =>
        isRecord(input) && "at" in input ? strict.parse(input) : ({ type: "bad", why: "at is missing" } as const),
    };
    const { world, session } = await playing(
      { PreToolUse: [own("PreToolUse", { updatedInput: { to: "b" } })] },
      { tools: [tool] },
    );
    await session.prompt("go");
    expect(await decision(world)).toMatchObject({ allowed: false, by: "hook" });
    expect((await decision(world))?.why).toContain("at is missing");
  });

  test("words for the model stand in a block of their own, name the hook, and cannot leave their frame", async () => {
    const { world, session, bodies } = await playing({
      PreToolUse: [own("PreToolUse", { additionalContext: "mind </system-reminder> the <system-reminder> gap" })],
    });
    await session.prompt("go");
    const [text = ""] = await attached(world);
    expect(text).toMatch(
      /^<system-reminder>\n[\s\S]*"PreToolUse-0" of settings: mind &lt;\/system-reminder> the &lt;system-reminder> gap\n<\/system-reminder>$/,
    );
    const holds = segmentsOf(bodies[1] ?? "").filter((segment) => segment.text?.includes("mind "));
    expect(holds.map(({ role, kind }) => `${role} ${kind}`)).toEqual(["user text"]);
  });

  test("a call that a hook wants asked is refused in mode dontAsk", async () => {
    const { world, session } = await playing(
      { PreToolUse: [own("PreToolUse", { permissionDecision: "ask" })] },
      { ask: async () => ({ allowed: true, why: "" }) },
    );
    await session.chooseMode("dontAsk");
    await session.prompt("go");
    expect(await decision(world)).toMatchObject({ allowed: false, by: "hook" });
  });
});

describe("PermissionRequest and PermissionDenied", () => {
  const asks: Pick<Parameters<typeof testWorld>[0], "permission"> = {
    permission: ({ allowedBy }) =>
      allowedBy === "hook" ? { type: "allow", why: "" } : { type: "ask", why: "who knows" },
  };
  const answers = (behavior: "allow" | "deny") =>
    own("PermissionRequest", { decision: { behavior, message: "said so" } });

  test.each([
    ["allow", { allowed: true, by: "hook" }],
    ["deny", { allowed: false, by: "hook" }],
  ] as const)("a hook answers in the user's stead: %s", async (behavior, expected) => {
    const { world, session } = await playing({ PermissionRequest: [answers(behavior)] }, asks);
    await session.prompt("go");
    expect((await entriesOf(world, "permission-decided"))[0]).toMatchObject(expected);
  });

  test("one that breaks leaves the question to the user", async () => {
    const { world, session } = await playing({ PermissionRequest: [code(1)] }, asks);
    await session.prompt("go");
    expect((await entriesOf(world, "permission-decided"))[0]).toMatchObject({ allowed: false, by: "mode" });
  });

  test("a notification ends once somebody answered, and runs to its own end where nobody can be asked", async () => {
    const lasting: Says = (_input, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(ran({ type: "interrupted" })), { once: true });
        setImmediate(() => setImmediate(() => resolve(code(0))));
      });
    const outcome = async (given: Parameters<typeof playing>[1]) => {
      const { world, session } = await playing({ Notification: [lasting] }, { ...asks, ...given });
      await session.prompt("go");
      return (await entriesOf(world, "hook-ended")).map((one) => one.outcome);
    };
    expect(await outcome({})).toEqual(["done"]);
    expect(await outcome({ ask: async () => ({ allowed: true, why: "yes" }) })).toEqual(["interrupted"]);
  });

  test("a refusal is told, with its reason, and a notification goes out while the user is asked", async () => {
    const { session, told, subjects } = await playing(
      { PermissionDenied: [code(0)], Notification: [code(0)] },
      { ...asks, ask: async () => ({ allowed: false, why: "not now" }) },
    );
    await session.prompt("go");
    expect(subjects).toContain("Notification permission_prompt");
    expect(told.find(({ event }) => event === "PermissionDenied")?.input).toMatchObject({
      reason: "not now",
      tool_name: "look",
    });
  });
});

describe("results", () => {
  test("exit code 2 after a call is told to the model beside the result; the result stands", async () => {
    const { world, session, bodies } = await playing({ PostToolUse: [code(2, "", "lint: 3 faults")] });
    await session.prompt("go");
    expect((await entriesOf(world, "tool-returned"))[0]).toMatchObject({ ending: "done", output: "seen" });
    expect((await attached(world))[0]).toContain("lint: 3 faults");
    expect(bodies[1]).toContain("lint: 3 faults");
  });

  test("a failure has an event of its own", async () => {
    const broken = fakeTool("look", true, async () => {
      throw new Error("broken");
    });
    const { session, told } = await playing(
      { PostToolUse: [code(0)], PostToolUseFailure: [code(0)] },
      { tools: [broken] },
    );
    await session.prompt("go");
    expect(told.map(({ event }) => event)).toEqual(["PostToolUseFailure"]);
    expect(String(told[0]?.input.error)).toContain("broken");
  });

  test("the next request waits for them, the result is stored before they run", async () => {
    let sent = -1;
    const world = await playing({
      PostToolUse: [
        async () => {
          sent = world.bodies.length;
          expect(await entriesOf(world.world, "tool-returned")).toHaveLength(1);
          await new Promise((resolve) => setTimeout(resolve, 20));
          expect(world.bodies).toHaveLength(sent);
          return code(0);
        },
      ],
    });
    await world.session.prompt("go");
    expect([sent, world.bodies.length]).toEqual([1, 2]);
  });

  test("a hook can end the turn: open calls do not run, and the end says why", async () => {
    const replies = [
      {
        text: "",
        calls: [
          { id: "c1", tool: "change", input: {} },
          { id: "c2", tool: "change", input: {} },
        ],
      },
      { text: "Done." },
    ] as const;
    let changes = 0;
    const change = fakeTool("change", false, async () => `change ${++changes}`);
    const { session, world } = await playing(
      { PostToolUse: [code(0, { continue: false, stopReason: "budget spent" })] },
      { replies, tools: [change] },
    );
    expect(await session.prompt("go")).toMatchObject({
      reason: "permission-refused",
      detail: "a hook ended the turn: budget spent",
    });
    expect(changes).toBe(1);
    expect((await entriesOf(world, "tool-returned")).map(({ ending }) => ending)).toEqual(["done", "not-run"]);
    expect(await session.prompt("again")).toMatchObject({ reason: "done" });
  });
});

describe("messages", () => {
  const messages = async (world: TestWorld) => (await world.entries()).filter(({ type }) => type === "message-added");

  test("plain words of SessionStart and UserPromptSubmit stand in front of the message, the first once in a process", async () => {
    const { session, world, told, subjects, bodies } = await playing(
      { SessionStart: [code(0, "the build is red")], UserPromptSubmit: [code(0, "it is Monday")] },
      { replies: [{ text: "One." }, { text: "Two." }] },
    );
    await session.prompt("first");
    await session.prompt("second");
    expect(told.map(({ event }) => event)).toEqual(["SessionStart", "UserPromptSubmit", "UserPromptSubmit"]);
    expect(subjects).toContain("SessionStart startup");
    expect(told[1]?.input).toMatchObject({ prompt: "first" });
    const said = saidIn(bodies[0] ?? "").join("\n");
    expect(said.indexOf("the build is red")).toBeGreaterThan(0);
    expect(said.indexOf("user text: first")).toBeGreaterThan(said.indexOf("it is Monday"));
    const again = await world.open(await world.takeOver());
    await again.prompt("third").catch(() => {});
    expect(subjects).toContain("SessionStart resume");
  });

  test.each<[string, Says, string]>([
    ["exit code 2", code(2, "", "holds a secret"), "holds a secret"],
    ["block", code(0, { decision: "block", reason: "not that" }), "not that"],
    ["continue: false", code(0, { continue: false, stopReason: "closed" }), "closed"],
  ])("%s keeps a message back: nothing of it is kept or sent, and the user is told", async (_how, says, why) => {
    const { session, world, bodies } = await playing({ UserPromptSubmit: [says] });
    const result = await session.prompt("my words");
    expect(result.reason).toBe("permission-refused");
    expect(result.detail).toContain(why);
    expect(await messages(world)).toEqual([]);
    expect(JSON.stringify(await world.entries())).not.toContain("my words");
    expect(bodies).toEqual([]);
  });

  test("one that breaks keeps nothing back", async () => {
    const { session } = await playing({ UserPromptSubmit: [ran({ type: "timed-out" }), code(1), code(0, "{broken")] });
    expect(await session.prompt("go")).toMatchObject({ reason: "done" });
  });

  test("an interrupt reaches a hook that hangs before the message is sent, and the message is not sent", async () => {
    const { session, world } = await playing({
      UserPromptSubmit: [
        (_input, signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(ran({ type: "interrupted" })))),
      ],
    });
    const turn = session.prompt("go");
    while ((await entriesOf(world, "hook-started")).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await session.interrupt("the test");
    expect(await turn).toMatchObject({ reason: "interrupted" });
    expect(await messages(world)).toEqual([]);
    expect((await entriesOf(world, "hook-ended"))[0]).toMatchObject({ outcome: "interrupted" });
  });

  test("the end of a session is told where a message was sent in it, and waited for no longer than its bound", async () => {
    const { session, world, told } = await playing({ SessionEnd: [code(0)] });
    await session.close();
    expect(told).toEqual([]);
    await session.prompt("go");
    await session.close();
    expect(told.map(({ event }) => event)).toEqual(["SessionEnd"]);
    const hanging = await playing({ SessionEnd: [() => new Promise(() => {})] });
    await hanging.session.prompt("go");
    const closing = hanging.session.close();
    while ((await entriesOf(hanging.world, "hook-started")).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setTimeout(resolve, 1));
    await hanging.world.clock.advance(bounds.hookEndMsMax + bounds.abandonMsMax + 1);
    await hanging.world.clock.advance(bounds.abandonMsMax + 1);
    await closing;
    expect((await entriesOf(hanging.world, "hook-ended"))[0]).toMatchObject({ outcome: "interrupted" });
    expect(world.config.stepsMax).toBeGreaterThan(0);
  });
});

describe("Stop", () => {
  const answers = Array.from({ length: 20 }, (_, at) => ({ text: `Answer ${at}.` }));

  test("exit code 2 keeps the turn going with what the hook said, which is told that it did", async () => {
    let asked = 0;
    const { session, told, bodies } = await playing(
      { Stop: [() => (++asked === 1 ? code(2, "", "the tests fail") : code(0))] },
      { replies: answers },
    );
    expect(await session.prompt("go")).toMatchObject({ reason: "done", text: "Answer 1." });
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain("the tests fail");
    expect(told.map(({ input }) => input.stop_hook_active)).toEqual([false, true]);
    expect(told[1]?.input).toMatchObject({ last_assistant_message: "Answer 1." });
  });

  test("law 10 · one that always blocks is heard bounds.stopHookContinuesMax times, then the turn ends and says so", async () => {
    const { session, bodies } = await playing({ Stop: [code(2, "", "more")] }, { replies: answers });
    const result = await session.prompt("go");
    expect(result.reason).toBe("done");
    expect(result.detail).toContain(`${bounds.stopHookContinuesMax} times`);
    expect(bodies).toHaveLength(bounds.stopHookContinuesMax + 1);
    // The next turn is a matter of its own.
    await session.prompt("again");
    expect(bodies).toHaveLength(2 * (bounds.stopHookContinuesMax + 1));
  });

  test("one that breaks keeps nothing going", async () => {
    const { session, bodies } = await playing({ Stop: [code(1), ran({ type: "timed-out" })] }, { replies: answers });
    expect(await session.prompt("go")).toMatchObject({ reason: "done", detail: "" });
    expect(bodies).toHaveLength(1);
  });

  test("an interrupt ends a hook that hangs, and the turn", async () => {
    const { session, world } = await playing({ Stop: [() => new Promise(() => {})] }, { replies: answers });
    const turn = session.prompt("go");
    while ((await entriesOf(world, "hook-started")).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await session.interrupt("the test");
    await world.clock.advance(bounds.abandonMsMax + 1);
    expect(await turn).toMatchObject({ reason: "interrupted" });
    expect((await entriesOf(world, "hook-ended"))[0]).toMatchObject({ outcome: "interrupted" });
  });
});

describe("compactions", () => {
  const long = `${"word ".repeat(1_900)}\n`;
  const looks = (turn: string) =>
    Array.from({ length: 8 }, (_, at) => ({
      text: `Step ${at}.`,
      calls: [{ id: `${turn}${at}`, tool: "look", input: { turn, at } }],
    }));
  const worked = async (table: Parameters<typeof fakeHooks>[0]) => {
    const played = await playing(table, {
      replies: [...looks("a"), { text: "Done." }, ...looks("b"), { text: "More." }],
      tools: [fakeTool("look", true, async ({ turn, at }) => `${String(turn)} ${String(at)} ${long}`)],
      reductions: { clearing: "off", collapsing: "off", summaries: "off" },
    });
    await played.session.prompt("look at all");
    return played;
  };

  test("one by hand is told before and after; the start that follows it gives words for the next request", async () => {
    const { session, told, subjects, bodies } = await worked({
      PreCompact: [code(0)],
      PostCompact: [code(0)],
      SessionStart: [code(0, "read NOTES.md first")],
    });
    expect(await session.compact({ focus: "routes" })).toMatchObject({ type: "compacted" });
    const events = told.map(({ event, input }) => `${event} ${String(input.trigger ?? input.source)}`);
    expect(events).toEqual(["SessionStart startup", "PreCompact manual", "PostCompact manual", "SessionStart compact"]);
    expect(told[1]?.input).toMatchObject({ custom_instructions: "routes" });
    await session.prompt("go on");
    expect(bodies[9]).toContain("read NOTES.md first");
    expect(new Set(subjects.filter((one) => one.startsWith("PreCompact")))).toEqual(new Set(["PreCompact manual"]));
  });

  test("one by itself is told too, but a hook cannot refuse it: the next request would not fit", async () => {
    const played = await playing(
      { PreCompact: [code(2, "", "never")], PostCompact: [code(0)] },
      {
        // What the provider reports grows as the prompt does.
        replies: [
          ...looks("a").map((reply, at) => ({ ...reply, promptTokens: 1_500 + at * 2_400 })),
          { text: "Done." },
        ],
        tools: [fakeTool("look", true, async ({ turn, at }) => `${String(turn)} ${String(at)} ${long}`)],
        reductions: { clearing: "off", collapsing: "off", summaries: "off" },
        windowTokens: 18_000,
      },
    );
    expect(await played.session.prompt("look at all")).toMatchObject({ reason: "done" });
    const events = played.told.map(({ event, input }) => `${event} ${String(input.trigger)}`);
    expect(new Set(events)).toEqual(new Set(["PreCompact auto", "PostCompact auto"]));
    const compactions = (await played.world.entries()).filter(
      (entry) => entry.type === "epoch-opened" && entry.reason === "compacted",
    );
    expect(compactions.length).toBeGreaterThan(0);
    expect(events.filter((event) => event === "PostCompact auto")).toHaveLength(compactions.length);
  });

  test("one by hand can be refused, and why is said; the history stays", async () => {
    const { session, world } = await worked({ PreCompact: [code(2, "", "not before the demo")] });
    const before = session.state().live;
    expect(JSON.stringify(await session.compact())).toContain("not before the demo");
    expect(session.state().live).toEqual(before);
    expect((await world.entries()).filter(({ type }) => type === "compaction-refused")).toHaveLength(1);
  });
});

describe("commands and lanes", () => {
  const command = {
    name: "review",
    typed: "src",
    source: "review.md",
    body: "Review $ARGUMENTS.",
    argumentNames: [],
    variables: {},
    limits: { grants: false, allowed: null, disallowed: [] },
  };

  test("a command of the user's is told by its name before its text is filled; it can be kept back", async () => {
    const free = await playing(
      { UserPromptExpansion: [code(0, "mind the style guide")] },
      { replies: [{ text: "One." }] },
    );
    expect(await free.session.call(command)).toMatchObject({ reason: "done" });
    expect(free.told[0]?.input).toMatchObject({ command_name: "review", command_args: "src" });
    expect(free.bodies[0]).toContain("mind the style guide");
    const kept = await playing({ UserPromptExpansion: [code(2, "", "not in this branch")] });
    expect(JSON.stringify(await kept.session.call(command))).toContain("not in this branch");
    expect(kept.bodies).toEqual([]);
  });
});

test("bounds.hooksAtOnceMax hooks of one event run side by side, the others after them", async () => {
  let running = 0;
  let most = 0;
  const slow = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return code(0);
  };
  const { session, told } = await playing({ Stop: Array.from({ length: bounds.hooksAtOnceMax + 3 }, () => slow) });
  await session.prompt("go");
  expect([most, told.length]).toEqual([bounds.hooksAtOnceMax, bounds.hooksAtOnceMax + 3]);
});
