import type { CallToolRequestOptions, Client, JSONRPCMessage, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isRecord, type Json } from "../kernel/canonical.ts";

export type Requested = { readonly signal: AbortSignal; readonly onProgress?: (progress: unknown) => void };

/** Times are kept by whoever asks, with the clock of the session: the SDK's own never come. */
export const timerMsMax = 2 ** 31 - 1;

/**
 * Not by the SDK's own methods for lists and calls: they check what came against schemas, those of the server too, and their
 * complaint would hide it (CASES C-051).
 */
export async function requested(
  client: Client,
  { method, params }: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
  asked: Requested,
): Promise<Record<string, unknown>> {
  return cameOf(await client.request({ method, params: { ...params } }, anyResult, optionsOf(asked)));
}

const anyResult: StandardSchemaV1<unknown> = {
  "~standard": { version: 1, vendor: "varve", validate: (value) => ({ value }) },
};

export type ToolCall = { readonly tool: string; readonly input: Json; readonly schema: Json | undefined };

/** In the newer protocol some arguments go into HTTP headers too, as the tool's schema says: that is the SDK's to do. */
export async function called(client: Client, { tool, input, schema }: ToolCall, asked: Requested) {
  if (client.getProtocolEra() !== "modern" || !isRecord(schema) || !isRecord(input)) {
    return await requested(client, { method: "tools/call", params: { name: tool, arguments: input } }, asked);
  }
  // The proof: the SDK reads nothing of it but `x-mcp-header`, and looks at what it finds on the way.
  const toolDefinition = { name: tool, inputSchema: schema } as NonNullable<CallToolRequestOptions["toolDefinition"]>;
  return cameOf(await client.callTool({ name: tool, arguments: input }, { ...optionsOf(asked), toolDefinition }));
}

function optionsOf({ signal, onProgress }: Requested) {
  const heard = onProgress === undefined ? {} : { onprogress: onProgress };
  return { signal, timeout: timerMsMax, allowInputRequired: true, ...heard };
}

function cameOf(result: unknown): Record<string, unknown> {
  if (!isRecord(result)) throw new Error("the result is not an object");
  const came = result[cameKey];
  if (isRecord(came)) return came;
  if (result.resultType === "input_required") throw new Error("it asks for input first, which is not supported");
  return result;
}

/** The handshake of a server that left out what the SDK insists on, and nobody needs. */
export function mended(message: JSONRPCMessage): void {
  if (!("result" in message) || typeof message.result.protocolVersion !== "string") return;
  const { serverInfo, capabilities, instructions, ...rest } = message.result;
  const named = isRecord(serverInfo) ? serverInfo : {};
  message.result = {
    ...rest,
    serverInfo: { ...named, name: textOf(named.name), version: textOf(named.version) },
    capabilities: Object.fromEntries(Object.entries(capabilities ?? {}).filter(([, one]) => isRecord(one))),
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * In the newer protocol the SDK checks every result: one odd tool, and all the others are not there. It is shown one that
 * nobody can object to, which carries what came.
 */
export function unchecked(message: JSONRPCMessage): void {
  if (!("result" in message) || typeof message.id !== "number") return;
  const { result } = message;
  if (result.resultType !== undefined && result.resultType !== "complete") return;
  message.result = { ...fine, [cameKey]: result };
}

const cameKey = "varve/came";

const fine = {
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  contents: [],
  messages: [],
  content: [],
};
