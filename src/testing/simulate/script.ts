import { isRecord } from "../../kernel/canonical.ts";
import type { BrainReply } from "./brain.ts";
import { parseFault } from "./fault-text.ts";
import { type Fault, readFault } from "./faults.ts";
import { type Condition, readCondition } from "./script-condition.ts";

/** What happens, in order. A step without a reply belongs to the reply before it, or to the start. */
export type ScriptStep =
  | {
      readonly type: "reply";
      readonly reply: BrainReply;
      /** Requests that get it; null: the next one, whatever it is. */
      readonly when: Condition | null;
      readonly repeat: number;
    }
  | { readonly type: "fault"; readonly fault: Fault }
  | { readonly type: "advance"; readonly ms: number }
  | { readonly type: "expect"; readonly condition: Condition };

export type Script = readonly ScriptStep[];

/** A script as it stands in a JSON file (docs/simulator.md); a text says which step and which field are wrong. */
export function readScript(value: unknown): Script | string {
  if (!Array.isArray(value)) return "a script is a JSON list of steps";
  const steps: ScriptStep[] = [];
  for (const [index, given] of value.entries()) {
    const step = readStep(given);
    if (typeof step === "string") return `step ${index + 1}: ${step}`;
    steps.push(step);
  }
  return steps;
}

const kinds: Readonly<Record<"fault" | "advanceMs" | "expect", (value: unknown) => ScriptStep | string>> = {
  fault: (value) => {
    const fault = typeof value === "string" ? parseFault(value) : strictFault(value);
    return typeof fault === "string" ? `"fault": ${fault}` : { type: "fault", fault };
  },
  advanceMs: (value) =>
    isCount(value, 0)
      ? { type: "advance", ms: value }
      : `"advanceMs" must be a whole number of milliseconds, not ${JSON.stringify(value)}`,
  expect: (value) => {
    const condition = readCondition(value);
    return typeof condition === "string" ? `"expect": ${condition}` : { type: "expect", condition };
  },
};

function readStep(given: unknown): ScriptStep | string {
  if (!isRecord(given)) return `must be an object, not ${JSON.stringify(given)}`;
  const names = Object.keys(given);
  for (const [kind, read] of Object.entries(kinds)) {
    if (!names.includes(kind)) continue;
    const more = names.find((name) => name !== kind);
    return more === undefined ? read(given[kind]) : `"${more}" cannot stand beside "${kind}"`;
  }
  return readReply(given);
}

type Given = Readonly<Record<string, unknown>>;

const stops: readonly string[] = ["end", "output-limit", "refusal", "pause"] satisfies readonly BrainReply["stop"][];

/** Field by field: whether it is fine, and what it must be. */
const fields: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  text: [isText, "a text"],
  reasoning: [isText, "a text"],
  calls: [isCalls, 'a list of {"tool": NAME, "input": ANYTHING}'],
  lateMs: [(value) => isCount(value, 0), "a whole number of milliseconds"],
  stop: [(value) => stops.some((one) => one === value), `one of ${stops.join(", ")}`],
  raw: [(value) => Array.isArray(value) && value.every((one) => isRecord(one) && isText(one.type)), "a list of blocks"],
  when: [isRecord, "an object"],
  repeat: [(value) => value === "always" || isCount(value, 1), 'a whole number from 1 on, or "always"'],
};

function readReply(given: Given): ScriptStep | string {
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) {
      const known = [...Object.keys(fields), ...Object.keys(kinds)];
      return `"${name}" is unknown; known: ${known.join(", ")}`;
    }
    const [isFine, wanted] = field;
    if (!isFine(value)) return `"${name}" must be ${wanted}, not ${JSON.stringify(value)}`;
  }
  const { when: asked = null, repeat = 1, ...reply } = given;
  const when = asked === null ? null : readCondition(asked);
  if (typeof when === "string") return `"when": ${when}`;
  // Each member of the reply was looked at above.
  const said = reply as BrainReply;
  return { type: "reply", reply: said, when, repeat: repeat === "always" ? Number.POSITIVE_INFINITY : Number(repeat) };
}

const faultFields = ["kind", "value", "skip", "times", "wire", "message", "when"];

function strictFault(value: unknown): Fault | string {
  if (!isRecord(value)) return `must be a text or an object, not ${JSON.stringify(value)}`;
  const unknown = Object.keys(value).find((name) => !faultFields.includes(name));
  if (unknown !== undefined) return `"${unknown}" is unknown; known: ${faultFields.join(", ")}`;
  const count = ["value", "skip", "times"].find((name) => value[name] !== undefined && !isCount(value[name], 0));
  if (count !== undefined) return `"${count}" must be a whole number, not ${JSON.stringify(value[count])}`;
  return readFault(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCalls(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (call) =>
        isRecord(call) &&
        isText(call.tool) &&
        (call.id === undefined || isText(call.id)) &&
        Object.keys(call).every((name) => ["tool", "input", "id"].includes(name)),
    )
  );
}

function isCount(value: unknown, min: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= min;
}
