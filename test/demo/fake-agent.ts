import type { Brain, BrainMessage, BrainPart, BrainReply } from "../../src/testing/simulate/brain.ts";
import type { Outcome } from "./fake-tools.ts";

export type FakeRun = {
  readonly replies: readonly BrainReply[];
  readonly redone: number;
  readonly finalText: string;
};

export type FakeRunOptions = {
  readonly brain: Brain;
  /** What the user types, one after the other: each when the one before is done. */
  readonly tasks: readonly string[];
  readonly runTool: (tool: string, input: unknown) => Outcome;
  /** Names of the tools that are declared at a call. */
  readonly tools?: () => readonly string[];
  /** What the model gets to see of the history before each call: cleared, folded, forgotten. */
  readonly reduce?: (messages: readonly BrainMessage[]) => readonly BrainMessage[];
  /** What becomes of a step's calls, by number: `before` and `after` say whether the process died around the effect. */
  readonly die?: (step: number) => "before" | "after" | "no";
};

/** The agent's loop without the agent: ask the brain, run its calls, until it calls nothing; then the next message. */
export async function runBrain({
  brain,
  tasks,
  runTool,
  tools = () => [],
  reduce = (all) => all,
  die = () => "no",
}: FakeRunOptions): Promise<FakeRun> {
  const [first = "", ...queue] = tasks;
  const asked = (text: string): BrainMessage => ({ role: "user", parts: [{ type: "text", text }] });
  const messages: BrainMessage[] = [asked(first)];
  const replies: BrainReply[] = [];
  for (let step = 1; step <= 1_000; step += 1) {
    const request = {
      wire: "anthropic",
      model: "demo",
      system: [],
      tools: tools().map((name) => ({ name, description: "", schema: {} })),
      messages: reduce(messages),
      served: 0,
    } as const;
    const reply = await brain(request);
    replies.push(reply);
    const calls = (reply.calls ?? []).map((call, index) => ({ ...call, id: `c${step}-${index}` }));
    const text: readonly BrainPart[] = reply.text === undefined ? [] : [{ type: "text", text: reply.text }];
    messages.push({
      role: "assistant",
      parts: [...text, ...calls.map((call): BrainPart => ({ type: "call", ...call }))],
    });
    if (calls.length === 0) {
      const next = queue.shift();
      if (next === undefined) break;
      messages.push(asked(next));
      continue;
    }
    const fate = die(step);
    const results = calls.map((call): BrainPart => {
      const outcome = fate === "before" ? unknown : runTool(call.tool, call.input);
      return { type: "result", id: call.id, ...(fate === "after" ? unknown : outcome) };
    });
    messages.push({ role: "user", parts: results });
  }
  const texts = replies.map((reply) => reply.text ?? "");
  return { replies, redone: texts.filter((text) => text.includes("[redone:")).length, finalText: texts.at(-1) ?? "" };
}

const unknown: Outcome = { text: "Outcome unknown: the program ended while this call ran.", isError: true };
