import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { LongLine } from "./mcp-lines.ts";

/**
 * The messages of one line of a server's stdout; none: it is noise. Lenient where nothing is lost by it: members that do not
 * belong there, a missing version, a batch, words in front that ended without a line end.
 */
export function messagesOf(line: string): readonly JSONRPCMessage[] {
  const text = line.trim();
  const whole = jsonIn(text);
  const value = whole === undefined ? jsonIn(text.slice(Math.max(0, text.search(begins)))) : whole;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => messageOf(one) ?? []);
}

/** An answer in the place of one that was too long to be read: its call would wait for nothing. */
export function inPlaceOf({ head, tail, bytes }: LongLine): JSONRPCMessage | null {
  const id = /^\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*(\d+)/.exec(head) ?? /,\s*"id":\s*(\d+)\s*\}\s*$/.exec(tail);
  if (id?.[1] === undefined) return null;
  return { jsonrpc: "2.0", id: Number(id[1]), error: { code: internal, message: `the answer has ${bytes} bytes` } };
}

const begins = /\{\s*"(?:jsonrpc|id|result|error|method)"/;
const internal = -32_603;

/** How deep it is nested is looked at where it is used, so that who waits for it hears of it. */
function jsonIn(text: string): unknown {
  if (!text.startsWith("{") && !text.startsWith("[")) return undefined;
  const parsed = parseJson(text, Number.POSITIVE_INFINITY);
  return parsed.type === "ok" ? parsed.value : undefined;
}

function messageOf(value: unknown): JSONRPCMessage | null {
  if (!isRecord(value)) return null;
  const { id, method } = value;
  if (typeof method === "string") {
    const params = isRecord(value.params) ? { params: value.params } : {};
    return isId(id) ? { jsonrpc: "2.0", id, method, ...params } : { jsonrpc: "2.0", method, ...params };
  }
  if (!isId(id)) return null;
  const { result, error } = value;
  if (isRecord(result)) return { jsonrpc: "2.0", id, result };
  if (!isRecord(error) && result === undefined) return null;
  return { jsonrpc: "2.0", id, error: isRecord(error) ? errorOf(error) : noObject };
}

const noObject = { code: internal, message: "the result is not an object" };

function errorOf({ code, message, data }: Record<string, unknown>) {
  return {
    code: typeof code === "number" && Number.isInteger(code) ? code : internal,
    message: typeof message === "string" ? message : "an error without a message",
    ...(data === undefined ? {} : { data }),
  };
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}
