import { noUsage, promptTokensOf, type Usage } from "../kernel/usage.ts";
import { anthropicUsage } from "../provider/anthropic/usage.ts";
import { recordAt, stringAt } from "../provider/lenient.ts";
import { attachmentBodies } from "./claude-code-attachment.ts";
import { answerBodies, messageBodies } from "./claude-code-blocks.ts";
import { claudeCodeHeads } from "./claude-code-head.ts";
import { claudeCodeLanes } from "./claude-code-lanes.ts";
import { openTree, type TreeLine } from "./claude-code-tree.ts";
import { placed, timeOf } from "./place.ts";
import type { Raw } from "./record.ts";
import type { ItemBody, LineFormat, LineReader } from "./transcript.ts";

/** `~/.claude/projects/<folder>/<session>.jsonl` and the files of its sub-agents (PROTOCOLS I). */
export const claudeCode: LineFormat = {
  format: "claude-code",
  // A relative of another house writes the same envelope around messages of Gemini's shape.
  recognises: (records) =>
    records.some(isClaudeCode) && !records.some((record) => Array.isArray(recordAt(record, "message").parts)),
  open,
};

function isClaudeCode(record: Raw): boolean {
  const { type } = record;
  if (typeof type !== "string") return false;
  const isEnvelope =
    typeof record.uuid === "string" && ("parentUuid" in record || typeof record.sessionId === "string");
  return isEnvelope || metadata.some(([name, field]) => type === name && field in record);
}

/** Lines without the envelope that a file may begin with. */
const metadata: readonly (readonly [string, string])[] = [
  ["summary", "leafUuid"],
  ["file-history-snapshot", "snapshot"],
  ["queue-operation", "sessionId"],
  ["custom-title", "sessionId"],
  ["ai-title", "sessionId"],
  ["last-prompt", "sessionId"],
  ["mode", "sessionId"],
  ["permission-mode", "sessionId"],
  ["tag", "sessionId"],
];

function open(): LineReader {
  const lanes = claudeCodeLanes();
  const trees = new Map<string, Tree>();
  const calls = openCalls();
  const heads = claudeCodeHeads();
  const seen = new Set<string>();
  let session: ItemBody | null = null;
  let isNamed = false;
  let emitted = 0;

  const treeOf = (lane: string): Tree => {
    const tree = trees.get(lane) ?? openTree();
    trees.set(lane, tree);
    return tree;
  };
  /** The first lines may know the session's id alone. */
  const named = (record: Raw): readonly ItemBody[] => {
    session ??= sessionBody(record);
    if (isNamed || typeof record.cwd !== "string") return [];
    session = sessionBody(record);
    isNamed = session !== null;
    return session === null ? [] : [session];
  };

  const line: LineReader["line"] = (record, number, raw) => {
    const uuid = stringAt(record, "uuid");
    if (uuid !== "" && seen.has(uuid)) return [];
    if (uuid !== "") seen.add(uuid);
    const lane = lanes.laneOf(record, uuid);
    const tree = treeOf(lane);
    const made = bodiesOf(record, { raw, lane, calls, tree, heads });
    const restart = lane === "main" && made.turn !== null ? tree.restart(record.parentUuid, made.turn) : [];
    const before = [...named(record), ...restart];
    const bodies = [...before, ...made.bodies];
    const from = emitted + before.length;
    emitted += bodies.length;
    if (uuid !== "") tree.add(treeLine(record, uuid, made), from, emitted);
    return placed({ line: number, at: timeOf(record.timestamp), lane }, bodies);
  };
  const end = () => placed({ line: 1, at: null, lane: "main" }, isNamed || session === null ? [] : [session]);
  return { line, end };
}

type Tree = ReturnType<typeof openTree>;
type Given = {
  readonly raw: string;
  readonly lane: string;
  readonly calls: ReturnType<typeof openCalls>;
  readonly tree: Tree;
  readonly heads: ReturnType<typeof claudeCodeHeads>;
};

/** What a line says. `turn`: it begins one, and with it, it may be, another way or a new context. */
type Made = { readonly bodies: readonly ItemBody[]; readonly turn: "message" | "clear" | null };

function bodiesOf(record: Raw, given: Given): Made {
  const type = stringAt(record, "type");
  if (type === "user") return userLine(record, given);
  return { bodies: otherBodies(type, record, given), turn: null };
}

function otherBodies(type: string, record: Raw, { raw, calls, tree, heads }: Given): readonly ItemBody[] {
  if (type === "assistant") return answered(record, raw, calls);
  const head = heads(record);
  if (head !== null) return head;
  if (type === "attachment") return attachmentBodies(record, raw);
  if (type === "system" && record.subtype === "compact_boundary")
    return [tree.compacted(recordAt(record, "compactMetadata"))];
  const detail = stringAt(record, "subtype") || stringAt(recordAt(record, "data"), "type");
  return [{ type: "unknown", kind: detail === "" ? type : `${type}/${detail}`, raw }];
}

function userLine(record: Raw, { raw, lane, tree }: Given): Made {
  const content = recordAt(record, "message").content;
  const isSummary = record.isCompactSummary === true;
  const isTyped = lane === "main" && record.isMeta !== true && !isSummary;
  const from = isSummary ? "summary" : isTyped ? "typed" : "injected";
  const bodies = messageBodies(content, from, raw);
  if (isSummary) return { bodies: [...tree.summarised(), ...bodies], turn: null };
  if (!isTyped || bodies.some((body) => body.type === "result")) return { bodies, turn: null };
  const isClear = bodies.some((body) => body.type === "message" && /<command-name>\/clear</.test(body.text));
  return { bodies, turn: isClear ? "clear" : "message" };
}

function answered(record: Raw, raw: string, calls: ReturnType<typeof openCalls>): readonly ItemBody[] {
  const message = recordAt(record, "message");
  const model = stringAt(message, "model");
  // What the program says in the model's name: an error of the service, a notice.
  if (model === "<synthetic>" || record.isApiErrorMessage === true) return answerBodies(message.content, null, raw);
  const request = requestOf(record);
  const usage = anthropicUsage(recordAt(message, "usage"));
  return [
    ...calls.begun(request, model === "" ? null : model),
    ...answerBodies(message.content, request, raw),
    ...calls.reported(request, usage),
  ];
}

/** One answer stands on several lines, which share the message's id and the request's. */
function requestOf(record: Raw): string {
  const parts = [stringAt(recordAt(record, "message"), "id"), stringAt(record, "requestId")].filter((id) => id !== "");
  return parts.length === 0 ? stringAt(record, "uuid") : parts.join(":");
}

/** Which requests have begun, and what was last said of their usage: the last line of an answer has the true figures. */
function openCalls() {
  const known = new Map<string, string>();
  return {
    begun: (request: string, model: string | null): readonly ItemBody[] => {
      if (known.has(request)) return [];
      known.set(request, "");
      return [{ type: "request", request, model }];
    },
    reported: (request: string, usage: Usage | null): readonly ItemBody[] => {
      const said = JSON.stringify(usage ?? noUsage);
      const isNothing = usage === null || promptTokensOf(usage) + usage.output === 0;
      if (isNothing || known.get(request) === said) return [];
      known.set(request, said);
      return [{ type: "usage", request, usage, known: "all", key: request }];
    },
  };
}

function sessionBody(record: Raw): ItemBody | null {
  const session = stringAt(record, "sessionId");
  if (session === "") return null;
  return {
    type: "session",
    session,
    cwd: stringAt(record, "cwd") || null,
    version: stringAt(record, "version") || null,
  };
}

function treeLine(record: Raw, uuid: string, { bodies, turn }: Made): TreeLine {
  const isAnswer = bodies.some((body) => body.type === "request" || ("request" in body && body.request !== null));
  const answers = bodies.flatMap((body) => (body.type === "result" ? [body.callId] : []));
  const isOpening = record.type === "attachment" || (record.type === "user" && answers.length === 0);
  return {
    uuid,
    parent: record.parentUuid,
    weight: isAnswer ? "answer" : turn !== null ? "turn" : isOpening ? "opening" : "aside",
    request: isAnswer ? requestOf(record) : null,
    calls: bodies.flatMap((body) => (body.type === "call" ? [body.callId] : [])),
    answers: isAnswer ? [] : answers,
  };
}
