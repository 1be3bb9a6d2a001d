import { describe, expect, test } from "vitest";
import brain from "../../src/cli/demo/brain.ts";
import { loginTask } from "../../src/cli/demo/tasks.ts";
import type { BrainMessage, BrainPart } from "../../src/testing/simulate/brain.ts";
import { type FakeRunOptions, runBrain } from "./fake-agent.ts";
import { fakeTools } from "./fake-tools.ts";
import { shellOver, shopFiles } from "./shop.ts";

type Rest = Partial<Pick<FakeRunOptions, "reduce" | "die">>;

async function work(options: Rest | ((tools: ReturnType<typeof fakeTools>) => Rest) = {}) {
  const files = shopFiles();
  const tools = fakeTools(files, shellOver(files));
  const rest = typeof options === "function" ? options(tools) : options;
  return { files, ...(await runBrain({ brain, task: loginTask, runTool: tools.run, ...rest })) };
}

const whole = await work();

describe("the demo's brain is a function of the request", () => {
  test("it adds the login page in 30 to 40 model calls, with nothing redone", () => {
    expect(whole.replies.length).toBeGreaterThanOrEqual(30);
    expect(whole.replies.length).toBeLessThanOrEqual(40);
    expect(whole.redone).toBe(0);
    expect(whole.finalText).toContain("59 passed");
  });

  test("the same request gets the same answer", async () => {
    expect((await work()).replies).toEqual(whole.replies);
  });

  test("it makes one mistake, which the tests find, and mends it", () => {
    const writes = whole.replies.flatMap((reply) => reply.calls ?? []).map((call) => JSON.stringify(call.input));
    expect(writes.filter((input) => input.includes("validateLogin.ts") && input.includes('"old"'))).toHaveLength(1);
  });

  test("some steps make several calls, all of them only looking", () => {
    const parallel = whole.replies.filter((reply) => (reply.calls ?? []).length > 1);
    expect(parallel.length).toBeGreaterThan(4);
    for (const call of parallel.flatMap((reply) => reply.calls ?? []))
      expect(["Read", "Grep", "Glob"]).toContain(call.tool);
  });

  test("its edits change only what they must", () => {
    const before = shopFiles();
    const changed = [...whole.files].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
    expect(changed.sort()).toEqual([
      "README.md",
      "src/App.tsx",
      "src/api.ts",
      "src/components/Header.tsx",
      "src/login/LoginPage.tsx",
      "src/login/validateLogin.ts",
      "src/router.ts",
      "src/session/SessionProvider.tsx",
      "src/styles.css",
      "src/types.ts",
    ]);
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

describe("what it cannot see it looks up again", () => {
  test.each([1, 3, 8])(
    "with all but the newest %i results cleared the files come out the same, and redone is counted",
    async (keep) => {
      const run = await work((tools) => ({ reduce: cleared(keep, tools) }));
      expect([...run.files]).toEqual([...whole.files]);
      expect(run.redone).toBeGreaterThan(0);
    },
  );

  test.each([
    { keep: 2, every: 6 },
    { keep: 6, every: 20 },
    { keep: 2, every: 2 },
  ])("with a fold of all but $keep messages, each $every, the files come out the same", async ({ keep, every }) => {
    const run = await work({ reduce: folded(keep, every) });
    expect([...run.files].sort()).toEqual([...whole.files].sort());
    expect(run.redone).toBeGreaterThan(0);
  });

  test("with everything but the task forgotten once, in the middle, it starts over and does no harm", async () => {
    for (const at of [20, 40, 60]) {
      const run = await work({
        reduce: (messages) =>
          messages.length <= at ? messages : [...messages.slice(0, 1), ...messages.slice(at + (at % 2 === 0 ? 1 : 0))],
      });
      expect([...run.files].sort()).toEqual([...whole.files].sort());
    }
  });
});

describe("after a crash it checks what is unknown", () => {
  const steps = whole.replies.map((_, index) => index + 1);
  test.each(["before", "after"] as const)(
    "a crash just %s the effect, at any one step, ends with the same files",
    async (fate) => {
      for (const at of steps) {
        const run = await work({ die: (step) => (step === at ? fate : "no") });
        expect([...run.files].sort(), `step ${at}`).toEqual([...whole.files].sort());
        expect(run.finalText).toContain("59 passed");
      }
    },
  );

  test("a crash at every third step ends with the same files", async () => {
    const run = await work({ die: (step) => (step % 3 === 0 ? (step % 2 === 0 ? "before" : "after") : "no") });
    expect([...run.files].sort()).toEqual([...whole.files].sort());
  });

  test("where nothing ever works it stops and says so", async () => {
    const run = await work({ die: () => "before" });
    expect(run.replies.length).toBeLessThan(20);
    expect(run.finalText).toMatch(/stuck/);
  });
});
