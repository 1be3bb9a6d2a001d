import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import { thoughtBodies, unknownBody } from "./document.ts";
import { placed } from "./place.ts";
import type { Raw } from "./record.ts";
import { type CallIds, callIds } from "./swe-agent-calls.ts";
import type { DocumentFormat, Item, ItemBody } from "./transcript.ts";

/**
 * SWE-agent's `.traj`. It has no times, and of tokens only totals of the whole run (`info.model_stats`), often zero: no
 * usage is reported for a call.
 */
export const sweAgent: DocumentFormat = {
  format: "swe-agent",
  recognises: (value) => isRecord(value) && (isRun(value) || listAt(value, "attempts").some(isRun)),
  read: (value) => {
    const run = recordOf(value);
    const opening = {
      line: 1,
      at: null,
      lane: "main",
      type: "session",
      session: null,
      cwd: null,
      version: null,
    } as const;
    // A run with retries keeps each attempt whole.
    if (!isRun(run))
      return [
        opening,
        ...listAt(run, "attempts").flatMap((one, index) => runItems(recordOf(one), `attempt-${index + 1}`)),
      ];
    return [
      { ...opening, version: stringAt(recordAt(run, "info"), "swe_agent_version") || null },
      ...runItems(run, "main"),
    ];
  },
};

function isRun(value: unknown): boolean {
  const run = recordOf(value);
  const steps = listAt(run, "trajectory").map(recordOf);
  const isStep = (step: Raw) => typeof step.action === "string" && typeof step.observation === "string";
  if (steps.length > 0) return steps.slice(0, stepsSniffed).every(isStep);
  return Array.isArray(run.trajectory) && listAt(run, "history").some((one) => typeof recordOf(one).role === "string");
}

const stepsSniffed = 5;

function runItems(run: Raw, lane: string): readonly Item[] {
  const own = listAt(run, "history").map(recordOf);
  const history = own.length > 0 ? own : historyOf(listAt(run, "trajectory").map(recordOf));
  const calls = callIds();
  const first = stringAt(history.find((one) => one.role === "assistant") ?? {}, "agent");
  return history.flatMap((entry, index) => {
    const agent = stringAt(entry, "agent");
    const isOther = agent !== "" && first !== "" && agent !== first && entry.role === "assistant";
    const place = { line: index + 1, at: null, lane: isOther ? agent : lane };
    return placed(place, bodiesOf(entry, `${lane}-${index + 1}`, calls));
  });
}

/** Runs of the first releases have steps only; what the model was shown at first stands in the first of them. */
function historyOf(steps: readonly Raw[]): readonly Raw[] {
  const [first] = steps;
  const shown = first === undefined ? [] : [...listAt(first, "query"), ...listAt(first, "messages")].map(recordOf);
  const until = shown.findIndex((entry) => entry.role === "assistant");
  const opening = until < 0 ? shown : shown.slice(0, until);
  const rest = steps.flatMap((step) => [
    { role: "assistant", content: stringAt(step, "response") || stringAt(step, "thought"), action: step.action },
    { role: "user", message_type: "observation", content: step.observation },
  ]);
  return [...opening, ...rest];
}

function bodiesOf(entry: Raw, request: string, calls: CallIds): readonly ItemBody[] {
  const { text, images } = contentOf(entry.content);
  switch (stringAt(entry, "role")) {
    case "system":
      return [{ type: "head", part: "system", text }];
    case "assistant":
      return answerBodies(entry, text, request, calls);
    case "tool":
    case "user":
      return givenBodies(entry, text, images, calls);
    default:
      return [unknownBody("entry", entry)];
  }
}

function answerBodies(entry: Raw, text: string, request: string, calls: CallIds): readonly ItemBody[] {
  // Examples of how to work are put in the model's mouth.
  if (entry.is_demo === true) return [{ type: "message", from: "injected", text, images: 0 }];
  const thoughts = listAt(entry, "thinking_blocks")
    .map(recordOf)
    .flatMap((block) => thoughtBodies(block, request));
  const said: readonly ItemBody[] = text === "" ? [] : [{ type: "text", request, text }];
  return [{ type: "request", request, model: null }, ...thoughts, ...said, ...calls.of(entry, request)];
}

function givenBodies(entry: Raw, text: string, images: number, calls: CallIds): readonly ItemBody[] {
  const callId = entry.is_demo === true ? null : calls.answered(entry);
  if (callId !== null) return [{ type: "result", callId, tool: null, text, failed: false, images }];
  const from = entry.is_demo === true || calls.any() ? "injected" : "typed";
  return [{ type: "message", from, text, images }];
}
