import { describe, expect, test } from "vitest";
import brain from "../../src/cli/demo/brain.ts";
import { shopTasks } from "../../src/cli/demo/tasks/shop.ts";
import type { BrainMessage, BrainPart } from "../../src/testing/simulate/brain.ts";
import { type FakeRunOptions, runBrain } from "./fake-agent.ts";
import { fakeTools } from "./fake-tools.ts";
import { shellOver, shopFiles } from "./shop.ts";

type Rest = Partial<Pick<FakeRunOptions, "reduce" | "die">>;
type Options = Rest | ((tools: ReturnType<typeof fakeTools>) => Rest);

const messages = shopTasks.map((task) => task.message);

async function work(tasks: readonly string[], start: ReadonlyMap<string, string>, options: Options = {}) {
  const files = new Map(start);
  const tools = fakeTools(files, shellOver(files));
  const rest = typeof options === "function" ? options(tools) : options;
  return { files, ...(await runBrain({ brain, tasks, runTool: tools.run, ...rest })) };
}

const wholeSession = (options: Options = {}) => work(messages, shopFiles(), options);
const whole = await wholeSession();

/** Each task in a session of its own, on the files that the ones before it left. */
const alone: { readonly id: string; readonly message: string; readonly start: Map<string, string> }[] = [];
for (const { id, message } of shopTasks) {
  const before = alone.at(-1);
  const start = before === undefined ? shopFiles() : (await work([before.message], before.start)).files;
  alone.push({ id, message, start });
}
const sorted = (files: ReadonlyMap<string, string>) => [...files].sort();

describe("the demo's brain is a function of the request", () => {
  test("it does four tasks in 120 to 140 model calls, with nothing redone", () => {
    expect(whole.replies.length).toBeGreaterThanOrEqual(120);
    expect(whole.replies.length).toBeLessThanOrEqual(140);
    expect(whole.redone).toBe(0);
    expect(whole.finalText).toContain("89 passed");
  });

  test("each task has its own marks, and ends green where its own tests are asked", () => {
    const texts = whole.replies.map((reply) => reply.text ?? "");
    for (const { id } of shopTasks)
      expect(texts.filter((text) => text.startsWith(`[${id} `)).length).toBeGreaterThan(24);
    const ends = whole.replies.filter((reply) => (reply.calls ?? []).length === 0).map((reply) => reply.text);
    expect(ends).toHaveLength(shopTasks.length);
    for (const end of ends) expect(end).toMatch(/Last test run: \d+ passed\./);
  });

  test("the same request gets the same answer", async () => {
    expect((await wholeSession()).replies).toEqual(whole.replies);
  });

  test("it makes a mistake in each feature, which the tests find, and mends it", () => {
    const writes = whole.replies.flatMap((reply) => reply.calls ?? []).map((call) => JSON.stringify(call.input));
    expect(writes.filter((input) => input.includes("validateLogin.ts") && input.includes('"old"'))).toHaveLength(1);
    expect(writes.filter((input) => input.includes("wishes/wishes.ts") && input.includes('"old"'))).toHaveLength(1);
  });

  test("what it looks for in the log it has read out of the log", () => {
    const calls = whole.replies.flatMap((reply) => reply.calls ?? []).map((call) => JSON.stringify(call.input));
    expect(calls.some((input) => /product=[a-z-]+\(/.test(input))).toBe(true);
    expect(new Set(calls.flatMap((input) => /order=(o-\d+)\(/.exec(input)?.[1] ?? [])).size).toBe(3);
  });

  test("some steps make several calls, all of them only looking", () => {
    const parallel = whole.replies.filter((reply) => (reply.calls ?? []).length > 1);
    expect(parallel.length).toBeGreaterThan(12);
    for (const call of parallel.flatMap((reply) => reply.calls ?? []))
      expect(["Read", "Grep", "Glob"]).toContain(call.tool);
  });

  test("its edits change only what they must", () => {
    const before = shopFiles();
    const changed = [...whole.files].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
    expect(changed.sort()).toEqual(
      [
        [
          "README.md",
          "server/orders.ts",
          "src/App.tsx",
          "src/api.ts",
          "src/format.ts",
          "src/money.ts",
          "src/router.ts",
        ],
        ["src/cart/CartPage.tsx", "src/cart/cart.ts", "src/catalog/ProductCard.tsx", "src/catalog/ProductPage.tsx"],
        ["src/checkout/CheckoutPage.tsx", "src/components/Button.tsx", "src/components/Footer.tsx"],
        ["src/components/Header.tsx", "src/login/LoginPage.tsx", "src/login/validateLogin.ts", "src/styles.css"],
        ["src/session/SessionProvider.tsx", "src/types.ts", "src/wishes/WishButton.tsx", "src/wishes/WishProvider.tsx"],
        ["src/wishes/WishesPage.tsx", "src/wishes/wishes.ts"],
        ["tests/api.test.ts", "tests/money.test.ts", "tests/orders.test.ts"],
      ]
        .flat()
        .sort(),
    );
  });

  test.each(alone)("$id in a session of its own comes out as in the long one", async ({ id, message, start }) => {
    const next = alone[alone.findIndex((task) => task.id === id) + 1];
    expect(sorted((await work([message], start)).files)).toEqual(sorted(next?.start ?? whole.files));
  });
});

/** Results older than the newest `keep` are stubs with a handle. */
function cleared(keep: number, tools: ReturnType<typeof fakeTools>) {
  return (messages: readonly BrainMessage[]): readonly BrainMessage[] => {
    const ids = messages.flatMap((message) =>
      message.parts.flatMap((part) => (part.type === "result" ? [part.id] : [])),
    );
    const old = new Set(ids.slice(0, -keep));
    const stub = (part: BrainPart): BrainPart => {
      if (part.type !== "result" || !old.has(part.id)) return part;
      const handle = part.id.replace("-", "h");
      tools.originals.set(handle, part.text);
      return { ...part, text: `[cleared: ${part.text.length} characters; recall handle=${handle}]` };
    };
    return messages.map((message) => ({ ...message, parts: message.parts.map(stub) }));
  };
}

/** All but the newest `keep` messages become one list of what was said and done. */
function folded(keep: number, every: number) {
  return (messages: readonly BrainMessage[]): readonly BrainMessage[] => {
    const cut = Math.floor((messages.length - keep) / every) * every;
    const [task, ...rest] = messages;
    const assistant = rest.findIndex((message, index) => index >= cut && message.role === "assistant");
    if (task === undefined || cut < every || assistant < 0) return messages;
    const results = new Map(
      rest.flatMap((message) =>
        message.parts.flatMap((part) => (part.type === "result" ? [[part.id, part.text]] : [])),
      ),
    );
    const lines = rest
      .slice(0, assistant)
      .flatMap((message) => message.parts)
      .flatMap((part) => {
        if (part.type === "text") return [`Said: ${part.text}`];
        return part.type === "call" ? [`- ${part.tool}: ${results.get(part.id)?.split("\n")[0]} [${part.id}]`] : [];
      });
    return [task, { role: "user", parts: [{ type: "text", text: lines.join("\n") }] }, ...rest.slice(assistant)];
  };
}

/** Whenever there are so many messages, all but the newest `keep` become a summary that the brain itself makes of them. */
function summedUp(keep: number, most: number) {
  const instruction = "<summary-request>\nAt most 3,000 tokens.\n</summary-request>";
  const says = (...texts: readonly string[]): BrainMessage => ({
    role: "user",
    parts: texts.map((text) => ({ type: "text", text })),
  });
  let before: BrainMessage | null = null;
  let gone = 0;
  let count = 0;
  const reduce = (all: readonly BrainMessage[]): readonly BrainMessage[] => {
    const shown = [...(before === null ? [] : [before]), ...all.slice(gone)];
    const cut = shown.findIndex(({ role }, at) => at >= shown.length - keep && role === "assistant");
    if (shown.length < most || cut < 1) return shown;
    const request = { wire: "anthropic", model: "demo", system: [], tools: [], served: 0 } as const;
    const reply = brain({ ...request, messages: [...shown.slice(0, cut), says(instruction)] });
    if (reply instanceof Promise) throw new Error("the demo's brain answers at once");
    gone += cut - (before === null ? 0 : 1);
    count += 1;
    const typed = all
      .slice(0, gone)
      .flatMap(({ role, parts }) => (role === "user" ? parts : []))
      .flatMap((part) => (part.type === "text" ? [part.text] : []));
    before = says(`<earlier-work>\n${reply.text}\n</earlier-work>`, typed.at(-1) ?? "");
    return [before, ...all.slice(gone)];
  };
  return { reduce, count: () => count };
}

describe("what it cannot see it looks up again", () => {
  test.each([
    { keep: 4, most: 20 },
    { keep: 10, most: 60 },
  ])(
    "summed up by itself, all but $keep messages at each $most, the files come out the same",
    async ({ keep, most }) => {
      const { reduce, count } = summedUp(keep, most);
      const run = await wholeSession({ reduce });
      expect(sorted(run.files)).toEqual(sorted(whole.files));
      expect(count()).toBeGreaterThan(3);
    },
  );

  test.each([1, 3, 8])(
    "with all but the newest %i results cleared the files come out the same, and redone is counted",
    async (keep) => {
      const run = await wholeSession((tools) => ({ reduce: cleared(keep, tools) }));
      expect(sorted(run.files)).toEqual(sorted(whole.files));
      expect(run.redone).toBeGreaterThan(0);
    },
  );

  test.each([
    { keep: 2, every: 6 },
    { keep: 6, every: 20 },
    { keep: 2, every: 2 },
  ])("with a fold of all but $keep messages, each $every, the files come out the same", async ({ keep, every }) => {
    const run = await wholeSession({ reduce: folded(keep, every) });
    expect(sorted(run.files)).toEqual(sorted(whole.files));
    expect(run.redone).toBeGreaterThan(0);
  });

  test.each(alone)("with everything but the message forgotten once, $id starts over and does no harm", async (task) => {
    const expected = (await work([task.message], task.start)).files;
    for (const at of [20, 40, 60]) {
      const run = await work([task.message], task.start, {
        reduce: (all) => (all.length <= at ? all : [...all.slice(0, 1), ...all.slice(at + 1)]),
      });
      expect(sorted(run.files)).toEqual(sorted(expected));
    }
  });
});

describe("after a crash it checks what is unknown", () => {
  describe.each(alone)("in the task $id", ({ message, start }) => {
    test.each(["before", "after"] as const)(
      "a crash just %s the effect, at any one step, ends with the same files",
      async (fate) => {
        const expected = await work([message], start);
        for (const at of expected.replies.keys()) {
          const run = await work([message], start, { die: (step) => (step === at + 1 ? fate : "no") });
          expect(sorted(run.files), `step ${at + 1}`).toEqual(sorted(expected.files));
          expect(run.finalText).toBe(expected.finalText);
        }
      },
    );
  });

  test("a crash at every third step of the whole session ends with the same files", async () => {
    const run = await wholeSession({ die: (step) => (step % 3 === 0 ? (step % 2 === 0 ? "before" : "after") : "no") });
    expect(sorted(run.files)).toEqual(sorted(whole.files));
  });

  test("where nothing ever works it stops and says so", async () => {
    const run = await work([messages[0] ?? ""], shopFiles(), { die: () => "before" });
    expect(run.replies.length).toBeLessThan(20);
    expect(run.finalText).toMatch(/stuck/);
  });
});
