import { recordAt, stringAt } from "../provider/lenient.ts";
import { attachmentBodies } from "./claude-code-attachment.ts";
import { answerBodies, messageBodies } from "./claude-code-blocks.ts";
import { type ClaudeCodeCalls, claudeCodeCalls, messageIdOf } from "./claude-code-calls.ts";
import { claudeCodeHeads } from "./claude-code-head.ts";
import { claudeCodeLanes } from "./claude-code-lanes.ts";
import { openTree, type TreeLine } from "./claude-code-tree.ts";
import { openIdMap } from "./id-map.ts";
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
  const calls = claudeCodeCalls();
  const heads = claudeCodeHeads();
  const seen = openIdMap();
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
    const name = `${uuid} ${messageIdOf(record)}`;
    const lane = lanes.laneOf(record, uuid);
    const place = { line: number, at: timeOf(record.timestamp), lane };
    if (uuid !== "" && seen.get(name) !== undefined) {
      const bodies = reportedAgain(record, number, calls);
      emitted += bodies.length;
      return placed(place, bodies);
    }
    if (uuid !== "") seen.set(name, 1);
    const tree = treeOf(lane);
    const made = bodiesOf(record, { raw, line: number, lane, calls, tree, heads });
    const restart = lane === "main" && made.turn !== null ? tree.restart(record.parentUuid, made.turn) : [];
    const before = [...named(record), ...restart];
    const bodies = [...before, ...made.bodies];
    const from = emitted + before.length;
    emitted += bodies.length;
    if (uuid !== "") tree.add(treeLine(record, uuid, made), from, emitted);
    return placed(place, bodies);
  };
  const end = () => placed({ line: 1, at: null, lane: "main" }, isNamed || session === null ? [] : [session]);
  return { line, end };
}

type Tree = ReturnType<typeof openTree>;
type Given = {
  readonly raw: string;
  readonly line: number;
  readonly lane: string;
  readonly calls: ClaudeCodeCalls;
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

function otherBodies(type: string, record: Raw, given: Given): readonly ItemBody[] {
  const { raw, tree, heads } = given;
  if (type === "assistant") return answered(record, given);
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

function answered(record: Raw, { raw, line, calls }: Given): readonly ItemBody[] {
  const message = recordAt(record, "message");
  if (isOfProgram(record)) return answerBodies(message.content, null, raw);
  const request = calls.requestOf(record, line);
  return [
    ...calls.begun(request, stringAt(message, "model") || null),
    ...answerBodies(message.content, request, raw),
    ...calls.reported(request, record),
  ];
}

/** A line that comes twice says nothing new, but of an answer the last line has the true figures. */
function reportedAgain(record: Raw, line: number, calls: ClaudeCodeCalls): readonly ItemBody[] {
  const isAnswer = record.type === "assistant" && !isOfProgram(record);
  return isAnswer ? calls.reported(calls.requestOf(record, line), record) : [];
}

/** What the program says in the model's name: an error of the service, a notice. */
function isOfProgram(record: Raw): boolean {
  return recordAt(record, "message").model === "<synthetic>" || record.isApiErrorMessage === true;
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
  const request = bodies.map((body) => ("request" in body ? body.request : null)).find((one) => one !== null) ?? null;
  const answers = bodies.flatMap((body) => (body.type === "result" ? [body.callId] : []));
  const isOpening = record.type === "attachment" || (record.type === "user" && answers.length === 0);
  return {
    uuid,
    parent: record.parentUuid,
    weight: request !== null ? "answer" : turn !== null ? "turn" : isOpening ? "opening" : "aside",
    request,
    calls: bodies.flatMap((body) => (body.type === "call" ? [body.callId] : [])),
    answers: request !== null ? [] : answers,
  };
}
