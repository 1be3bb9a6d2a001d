import { isRecord } from "../../kernel/canonical.ts";
import type { BrainPart, BrainRequest } from "./brain.ts";

/** What a summary is made of: the conversation before the instruction, in the order it went. */
export type SummaryView = {
  /** Of the user, and of the client in the user's place: frames, reminders, former summaries. */
  readonly typed: readonly string[];
  readonly framed: readonly string[];
  readonly said: readonly string[];
  readonly calls: readonly SummaryCall[];
  readonly whole: string;
};

export type SummaryCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** null: not answered. */
  readonly result: { readonly text: string; readonly isError: boolean } | null;
};

export function summaryViewOf({ messages }: BrainRequest): SummaryView {
  const rolling = rollingViewOf(messages);
  if (rolling !== null) return rolling;
  const all = messages.flatMap(({ role, parts }) => parts.map((part) => ({ role, part })));
  const asked = all.findLastIndex(({ role, part }) => role === "user" && part.type === "text");
  const shown = all.filter((_, at) => at !== asked);
  const textsOf = (wanted: string) =>
    shown.flatMap(({ role, part }) => (role === wanted && part.type === "text" ? [part.text] : []));
  const user = textsOf("user");
  const results = new Map(shown.flatMap(({ part }) => (part.type === "result" ? ([[part.id, part]] as const) : [])));
  return {
    typed: user.filter((text) => !isFramed(text)),
    framed: user.filter(isFramed),
    said: textsOf("assistant"),
    calls: shown.flatMap(({ part }) =>
      part.type === "call"
        ? [{ tool: part.tool, input: isRecord(part.input) ? part.input : {}, result: results.get(part.id) ?? null }]
        : [],
    ),
    whole: shown.map(({ part }) => wordsOf(part)).join("\n"),
  };
}

/** Of a request that holds its conversation in the instruction itself, between tags; null: of any other. */
function rollingViewOf(messages: BrainRequest["messages"]): SummaryView | null {
  const [message, ...more] = messages;
  const [part] = message?.parts ?? [];
  if (more.length > 0 || part?.type !== "text" || !part.text.includes('<summary-request kind="rolling"')) return null;
  const within = (name: string) => new RegExp(`\\n<${name}>\\n([\\s\\S]*?)\\n</${name}>`).exec(part.text)?.[1] ?? "";
  const [former, rounds] = [within("former-summary"), within("rounds")];
  const entries = rounds.split(/\n(?=(?:User|Assistant|Did): )/);
  const of = (name: string) =>
    entries.flatMap((entry) => (entry.startsWith(`${name}: `) ? [entry.slice(name.length + 2)] : []));
  const framed = former === "" ? [] : [former];
  return { typed: of("User"), framed, said: of("Assistant"), calls: [], whole: [...framed, rounds].join("\n") };
}

/** A client marks what it says itself by tags or brackets; people rarely begin with one. */
function isFramed(text: string): boolean {
  return /^\s*(<[a-z][\w-]*[\s>]|\[)/i.test(text);
}

function wordsOf(part: BrainPart): string {
  if (part.type === "call") return `${part.tool} ${JSON.stringify(part.input)}`;
  return "text" in part ? part.text : "";
}
