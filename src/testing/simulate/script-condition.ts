import { isRecord } from "../../kernel/canonical.ts";
import { madeOnce } from "../../kernel/once.ts";
import { wires } from "../../kernel/usage.ts";
import type { BrainPart, BrainRequest } from "./brain.ts";
import { summaryAskOf } from "./summary-request.ts";

/** What a request must be; every member that is given must hold, and of a list every item. */
export type Condition = {
  readonly wire?: string;
  readonly model?: string;
  /** Whether it asks for a summary of the conversation. */
  readonly summary?: boolean;
  /** From 1: which prompt of the user, and which request since then. */
  readonly turn?: number;
  readonly step?: number;
  /** Stands, or does not stand, in what came since the last reply: the user's text, results of tools. */
  readonly contains?: string | readonly string[];
  readonly lacks?: string | readonly string[];
  /** The same in the whole prompt, the system text included. */
  readonly anywhere?: string | readonly string[];
  readonly nowhere?: string | readonly string[];
  /** A tool of this name is offered. */
  readonly tool?: string | readonly string[];
  /** What came last holds a result of this tool. */
  readonly result?: string | readonly string[];
};

/** The first member that does not hold, in words; null where all do. */
export function failsAt(condition: Condition, request: BrainRequest): string | null {
  const seen = views(request, () => viewOf(request));
  for (const [name, wanted] of Object.entries(condition)) {
    // The proof is `readCondition` and the type: no other names are in a condition.
    const why = checks[name as keyof Condition](wanted, seen);
    if (why !== null) return why;
  }
  return null;
}

/** A condition as it stands in a file; a text says what is wrong with it. */
export function readCondition(value: unknown): Condition | string {
  if (!isRecord(value)) return "must be an object";
  for (const [name, wanted] of Object.entries(value)) {
    if (!Object.hasOwn(checks, name)) return `"${name}" is unknown; known: ${Object.keys(checks).join(", ")}`;
    const [isFine, kind] = shapes[name] ?? texts;
    if (!isFine(wanted)) return `"${name}" must be ${kind}, not ${JSON.stringify(wanted)}`;
  }
  // Each member was looked at above.
  return value as Condition;
}

type Shape = readonly [(wanted: unknown) => boolean, string];

const count: Shape = [(wanted) => Number.isInteger(wanted) && Number(wanted) >= 1, "a whole number from 1 on"];
const texts: Shape = [(wanted) => typeof wanted === "string" || isTexts(wanted), "a text or a list of texts"];

/** What each member may be, where that is no text or list of texts. */
const shapes: Readonly<Record<string, Shape>> = {
  turn: count,
  step: count,
  wire: [(wanted) => wires.some((wire) => wire === wanted), `one of ${wires.join(", ")}`],
  model: [(wanted) => typeof wanted === "string", "a text"],
  summary: [(wanted) => typeof wanted === "boolean", "true or false"],
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

type View = {
  readonly wire: string;
  readonly model: string;
  readonly summary: boolean;
  readonly turn: number;
  readonly step: number;
  readonly newest: string;
  readonly whole: string;
  readonly tools: readonly string[];
  readonly results: readonly string[];
};
type Check = (wanted: unknown, seen: View) => string | null;

const equal =
  (name: "wire" | "model" | "summary" | "turn" | "step"): Check =>
  (wanted, seen) =>
    seen[name] === wanted ? null : `${name} should be ${wanted}, is ${seen[name]}`;
const within =
  (of: "newest" | "whole", where: string, should: boolean): Check =>
  (wanted, seen) => {
    const wrong = textsOf(wanted).find((text) => seen[of].includes(text) !== should);
    return wrong === undefined ? null : `${where} should ${should ? "" : "not "}hold ${JSON.stringify(wrong)}`;
  };
const named =
  (of: "tools" | "results", what: string): Check =>
  (wanted, seen) => {
    const missing = textsOf(wanted).find((name) => !seen[of].includes(name));
    return missing === undefined ? null : `${what} should hold ${missing}, holds ${seen[of].join(", ") || "none"}`;
  };

const checks: Readonly<Record<keyof Condition, Check>> = {
  wire: equal("wire"),
  model: equal("model"),
  summary: equal("summary"),
  turn: equal("turn"),
  step: equal("step"),
  contains: within("newest", "what came last", true),
  lacks: within("newest", "what came last", false),
  anywhere: within("whole", "the prompt", true),
  nowhere: within("whole", "the prompt", false),
  tool: named("tools", "the list of tools"),
  result: named("results", "the newest results"),
};

function textsOf(wanted: unknown): readonly string[] {
  return (Array.isArray(wanted) ? wanted : [wanted]).map(String);
}

/** Many conditions may be asked of one request. */
const views = madeOnce<BrainRequest, View>();

function viewOf({ wire, model, system, tools, messages }: BrainRequest): View {
  const opens = messages.map(({ role, parts }) => role === "user" && !parts.some(({ type }) => type === "result"));
  const turnAt = opens.lastIndexOf(true);
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = messages.slice(lastReply + 1).flatMap(({ parts }) => parts);
  const calls = new Map(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "call" ? [[part.id, part.tool]] : []))),
  );
  return {
    wire,
    model,
    summary: summaryAskOf({ messages }) !== null,
    turn: opens.filter(Boolean).length,
    step: messages.slice(turnAt + 1).filter(({ role }) => role === "assistant").length + 1,
    newest: newest.map(textOfPart).join("\n"),
    whole: [...system, ...messages.flatMap(({ parts }) => parts.map(textOfPart))].join("\n"),
    tools: tools.map(({ name }) => name),
    results: newest.flatMap((part) => (part.type === "result" ? [calls.get(part.id) ?? ""] : [])),
  };
}

function textOfPart(part: BrainPart): string {
  if (part.type === "call") return `${part.tool} ${JSON.stringify(part.input)}`;
  return "text" in part ? part.text : "";
}
