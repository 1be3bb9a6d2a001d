import { describe, expect, test } from "vitest";
import { explain } from "../../bench/estimate-explain.ts";
import { gatesOf, notInFile } from "../../bench/estimate-gates.ts";
import { answerParts, partsOf, withImages } from "../../bench/estimate-segments.ts";
import { type Step, walk } from "../../bench/estimate-walk.ts";
import { classify, totalOf } from "../../src/budget/count.ts";
import { noUsage, type Usage } from "../../src/kernel/usage.ts";
import { countsOf } from "../../src/reduction/segment-tokens.ts";
import type { Block, RecordedCall, Recording } from "../../src/replay/recording.ts";

const countOf = (text: string): number => totalOf(classify(text));
const words = (lines: number): string => "The build failed because the disk was full, again.\n".repeat(lines);

let ids = 0;
function block(kind: Block["kind"], text: string, role: Block["role"] = "user"): Block {
  const id = ids++;
  const isTool = kind === "tool-call" || kind === "tool-result";
  return { id, role, kind, callId: isTool ? `c${id}` : null, tool: isTool ? "Bash" : null, text };
}

type Made = Partial<Omit<RecordedCall, "usage">> & { readonly prompt: number; readonly usage?: Partial<Usage> };

function recording(...calls: readonly Made[]): Recording {
  return {
    session: "s",
    headTokens: 20_000,
    calls: calls.map(({ prompt, usage, ...call }, n) => ({
      n,
      at: n,
      model: "claude-opus-5-5",
      restart: null,
      before: [],
      answer: [],
      ...call,
      usage: { ...noUsage, cacheRead: prompt, ...usage },
    })),
  };
}

/** A provider that counts as we do, at `rate`, with 20 tokens of marks for each result and its answer. */
function steady(rate: number, lost: (n: number) => number = () => 0): Recording {
  let prompt = 20_100;
  const calls: Made[] = [{ prompt, before: [block("text", words(8))], usage: { output: 100 } }];
  for (let n = 1; n < 40; n++) {
    const result = words(1 + ((n * 7) % 60));
    prompt += 100 + Math.round(countOf(result) * rate) + 20 + lost(n);
    calls.push({ prompt, before: [block("tool-result", result)], usage: { output: 100 } });
    const before = calls.at(-2);
    if (before !== undefined)
      calls[n - 1] = { ...before, answer: [block("tool-call", '{"command": "npm test"}', "assistant")] };
  }
  return recording(...calls);
}

const steps = (recorded: Recording, format = "claude-code"): readonly Step[] => [...walk(recorded, format)];

describe("a recorded session is walked as the agent would have", () => {
  test("the first call is no prediction: its head is not in the file", () => {
    expect(steps(steady(1)).map(({ n }) => n)).toEqual(Array.from({ length: 39 }, (_, at) => at + 1));
    expect(steps(recording())).toEqual([]);
  });
  test("a rate and marks that differ from ours are learned, and no prompt is above its margin", () => {
    const gates = gatesOf(explain(steps(steady(1.3)).slice(10), countOf));
    expect(gates.added?.p95).toBeLessThan(0.1);
    expect(gates.aboveMargin).toBe(0);
  });
  test("what was added is all that no report covers: the answer counts only where its report cannot be true", () => {
    const [first] = steps(steady(1));
    expect(first?.known).toBe(20_200);
    const answer = [block("tool-call", `{"command": "${words(20)}"}`, "assistant")];
    const untold = recording(
      { prompt: 20_100, before: [block("text", "go")], answer, usage: { output: 1 } },
      { prompt: 20_500, before: [block("tool-result", words(3))] },
    );
    expect(steps(untold)[0]?.known).toBe(20_100);
    expect(steps(untold)[0]?.added).toHaveLength(2);
  });
  test("after a restart what stays is known, and only what came is estimated", () => {
    const kept = [block("text", words(40))];
    const calls = [
      { prompt: 20_000 + 600, before: kept, usage: { output: 5 } },
      { prompt: 50_000, before: [block("tool-result", words(2_000))] },
      { prompt: 21_000, before: [block("summary", words(20))], restart: { why: "compacted", kept } as const },
    ];
    const last = steps(recording(...calls)).at(-1);
    expect(last?.break).toBe("compacted");
    expect(last?.added.map(({ block: { kind } }) => kind)).toEqual(["summary"]);
    expect(last?.known).toBeGreaterThan(20_000);
    expect(last?.known).toBeLessThan(21_000);
  });
  test("another model is a break, and nothing measured holds for it", () => {
    const [step] = steps(recording({ prompt: 20_100 }, { prompt: 26_000, model: "gpt-6.2-sol" }));
    expect(step).toMatchObject({ break: "model-changed", known: 0 });
  });
});

describe("what a file does not hold", () => {
  const told = explain(steps(steady(1.2, (n) => (n % 10 === 5 ? 3_000 : 0))), countOf);
  test("is told from errors of the estimate, by an exact count at the session's own rate", () => {
    expect(told.filter(({ inFile }) => inFile === "more").map(({ step: { n } }) => n)).toEqual([5, 15, 25, 35]);
    const { calls, moreTokens, lessTokens, places } = notInFile(told);
    expect({ calls, lessTokens }).toEqual({ calls: 4, lessTokens: 0 });
    expect(Math.abs(moreTokens - 12_000)).toBeLessThan(400);
    expect(places.map(({ place }) => place)).toEqual(["more with a result of Bash"]);
  });
  test("is in the raw figures, and no others", () => {
    const whole = told.filter(({ inFile }) => inFile === "whole");
    expect(gatesOf(told).added?.p95).toBeGreaterThan(0.3);
    expect(gatesOf(whole).added?.p95).toBeLessThan(0.3);
    expect(gatesOf(whole).aboveMargin).toBe(0);
  });
  test("text that was not sent counts as well", () => {
    const less = explain(steps(steady(1, (n) => (n === 20 ? -400 : 0))), countOf);
    expect(less.filter(({ inFile }) => inFile === "less").map(({ step: { n } }) => n)).toEqual([20]);
  });
});

describe("parts of a recorded prompt", () => {
  test("images of a message are parts of their own, and cost what images cost", () => {
    const item = withImages({
      line: 1,
      at: null,
      lane: "main",
      type: "message",
      from: "typed",
      text: "look",
      images: 2,
    });
    const text = item.type === "message" ? item.text : "";
    const parts = partsOf([block("text", text)]);
    expect(parts.map(({ segment: { kind } }) => kind)).toEqual(["text", "image", "image"]);
    expect(parts[0]?.block.text).toBe("look");
    expect(parts.map(({ segment }) => countsOf(segment).fixed)).toEqual([0, 1_600, 1_600]);
  });
  test("reasoning of which only the tokens are told is a part; where the program sends none back, there is none", () => {
    const [call] = recording({
      prompt: 1,
      usage: { output: 300, reasoning: 200 },
      answer: [block("text", "Done.", "assistant")],
    }).calls;
    if (call === undefined) throw new Error("no call");
    const parts = answerParts(call, true);
    expect(parts.map(({ segment: { kind } }) => kind)).toEqual(["reasoning", "text"]);
    expect(parts.map(({ segment }) => countsOf(segment).fixed)).toEqual([200, 0]);
    expect(answerParts(call, false).map(({ segment: { kind } }) => kind)).toEqual(["text"]);
  });
});
