import { describe, expect, test } from "vitest";
import brain from "../../src/cli/demo/brain-browser.ts";
import { testsOfOthers } from "../../src/cli/demo/sample.ts";
import { browserTasks } from "../../src/cli/demo/tasks/browser.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import type { BrainMessage, BrainPart } from "../../src/testing/simulate/brain.ts";
import { type FakeRunOptions, runBrain } from "./fake-agent.ts";
import { fakeBrowser } from "./fake-browser.ts";
import { fakeTools, type Outcome } from "./fake-tools.ts";
import { shellOver, shopFiles } from "./shop.ts";

/** How tools of servers come to a model: declared from the start, found and then declared, found and called by another. */
type Way = "declared" | "revealed" | "called";

type Options = Partial<Pick<FakeRunOptions, "die">> & {
  readonly way?: Way;
  readonly reduce?: (originals: Map<string, string>) => NonNullable<FakeRunOptions["reduce"]>;
};

async function work({ way = "declared", reduce, ...rest }: Options = {}) {
  const files = new Map([...shopFiles()].filter(([path]) => !testsOfOthers.includes(path)));
  const shell = shellOver(files);
  const tools = fakeTools(files, shell);
  const page = fakeBrowser();
  const found = new Set<string>(way === "declared" ? page.names : []);
  const runTool = (tool: string, input: unknown): Outcome => {
    if (!isRecord(input)) return bad("no input");
    if (tool === "ToolSearch") return search(String(input.query), page.names, found);
    if (tool === "Bash" && input.background === true) return ok("Started as task_1. You will be told when it ends.");
    if (tool === "TaskOutput") return ok("[task_1 runs]\nThe shop: http://127.0.0.1:40000/\n");
    if (tool === "TaskStop") return ok("task_1 was stopped.");
    if (tool === "CallTool" && isRecord(input.input))
      return page.run(String(input.tool), input.input) ?? bad("unknown");
    if (found.has(tool)) return page.run(tool, input) ?? bad("unknown");
    return tools.run(tool, input);
  };
  const declared = () => ["ToolSearch", "CallTool", ...(way === "called" ? [] : found)];
  const reduction = reduce === undefined ? {} : { reduce: reduce(tools.originals) };
  const run = await runBrain({
    brain,
    tasks: browserTasks.map(({ message }) => message),
    runTool,
    tools: declared,
    ...rest,
    ...reduction,
  });
  const calls = run.replies.flatMap((reply) => reply.calls ?? []);
  return { ...run, files, calls, sent: page.sent };
}

function search(query: string, names: readonly string[], found: Set<string>): Outcome {
  const hits = names.filter((name) =>
    query
      .replace("select:", "")
      .split(",")
      .some((word) => name.endsWith(`__${word}`)),
  );
  for (const name of hits) found.add(name);
  return ok(hits.map((name) => `${name}: does it\n{"type":"object"}`).join("\n"));
}

const ok = (text: string): Outcome => ({ text, isError: false });
const bad = (text: string): Outcome => ({ text, isError: true });
const end = /^\[visit \d+\/\d+\] Done: .* 3 of 3 /;

describe("the engineer with a browser", () => {
  test.each(["declared", "revealed", "called"] as const)("does it all where tools are %s", async (way) => {
    const run = await work({ way });
    expect(run.finalText).toMatch(end);
    expect(run.redone).toBe(0);
    expect(run.replies.length).toBeLessThanOrEqual(40);
    expect(run.sent.map((line) => /\[(\d+)\]/.exec(line)?.[1])).toEqual(["401", "200"]);
  });

  test("what is not declared it finds by a search, and asks no more than once for what it saw", async () => {
    const { calls } = await work({ way: "called" });
    const browserCalls = calls.filter(({ tool }) => tool === "CallTool");
    expect(browserCalls.length).toBeGreaterThan(15);
    expect(calls.filter(({ tool }) => tool === "ToolSearch")).toHaveLength(1);
    expect(calls.some(({ tool }) => tool.startsWith("mcp__"))).toBe(false);
  });

  test("clicks what a snapshot showed it, and takes no picture where a text says it", async () => {
    const { calls } = await work();
    const clicks = calls.filter(({ tool }) => tool.endsWith("browser_click"));
    expect(clicks.map(({ input }) => (isRecord(input) ? input.target : null))).toEqual(["e95", "e9", "e13"]);
    expect(calls.filter(({ tool }) => tool.endsWith("screenshot"))).toHaveLength(0);
  });

  test("the ref of a button that its short form left out it recalls by the button's name", async () => {
    const { calls, finalText } = await work({ reduce: withoutArticles });
    expect(calls.filter(({ tool }) => tool === "recall").map(({ input }) => input)).toEqual([
      { handle: "page9", grep: "Add Ember Stove, sand to the cart" },
    ]);
    expect(finalText).toMatch(end);
  });

  test("where the page never says what it should, it stops and says so", async () => {
    const run = await work({ die: (step) => (step > 18 ? "before" : "no") });
    expect(run.finalText).toMatch(/stuck/);
  });

  test("the same request gets the same answer", async () => {
    expect((await work()).replies).toEqual((await work()).replies);
  });
});

/** Snapshots of the catalogue without their articles, and with a handle. */
function withoutArticles(originals: Map<string, string>) {
  const short = (part: BrainPart): BrainPart => {
    if (part.type !== "result" || !part.text.includes("### Snapshot") || !part.text.includes("listitem")) return part;
    originals.set("page9", part.text);
    const kept = part.text.split("\n").filter((line) => !/listitem|Add /.test(line));
    return { ...part, text: `${kept.join("\n")}\n[120 lines not shown; recall handle=page9]` };
  };
  return (messages: readonly BrainMessage[]) =>
    messages.map((message) => ({ ...message, parts: message.parts.map(short) }));
}
