import { isRecord } from "../../kernel/canonical.ts";
import type { BrainMessage, BrainPart, BrainRequest } from "./brain.ts";
import { callsIn, partsOf, responsesIn, turnsOf } from "./gemini-contents.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** A request of this wire as a brain sees it; calls without ids get some from where they stand. */
export function geminiRequest(body: Body): Pick<BrainRequest, "system" | "tools" | "messages"> {
  return {
    system: partsOf(recordOf(body.systemInstruction)).map((part) => textOf(part.text)),
    tools: listOf(body.tools)
      .flatMap((tool) => listOf(recordOf(tool).functionDeclarations).map(recordOf))
      .map(({ name, description, parameters, parametersJsonSchema }) => ({
        name: textOf(name),
        description: textOf(description),
        schema: parametersJsonSchema ?? jsonSchemaOf(parameters) ?? null,
      })),
    messages: messagesOf(listOf(body.contents).map(recordOf)),
  };
}

/** OpenAPI's types are written in capitals here. */
export function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === "properties" && isRecord(value))
        return [name, Object.fromEntries(Object.entries(value).map(([key, one]) => [key, jsonSchemaOf(one)]))];
      if (name === "type" && typeof value === "string") return [name, value.toLowerCase()];
      return [name, name === "items" || name === "anyOf" ? jsonSchemaOf(value) : value];
    }),
  );
}

function messagesOf(contents: readonly Body[]): readonly BrainMessage[] {
  const messages: BrainMessage[] = [];
  let open: readonly string[] = [];
  for (const { role, parts, at } of turnsOf(contents)) {
    const ids = callsIn(parts).map((part, index) => textOf(recordOf(part.functionCall).id) || `call-${at}-${index}`);
    const known = role === "model" ? ids : open;
    const next = { role: role === "model" ? ("assistant" as const) : ("user" as const), parts: read(parts, known) };
    open = role === "model" ? ids : [];
    const last = messages.at(-1);
    if (last?.role === next.role) messages[messages.length - 1] = { ...last, parts: [...last.parts, ...next.parts] };
    else messages.push(next);
  }
  return messages;
}

/** `ids` are those of the calls in these parts, or of the calls that their responses answer, in order. */
function read(parts: readonly Body[], ids: readonly string[]): readonly BrainPart[] {
  const numbered = [...callsIn(parts), ...responsesIn(parts)];
  return parts.map((part) => {
    const id = ids[numbered.indexOf(part)] ?? "";
    if (part.functionCall !== undefined) {
      const { name, args } = recordOf(part.functionCall);
      return { type: "call", id, tool: textOf(name), input: args ?? {} };
    }
    if (part.functionResponse !== undefined)
      return { type: "result", id, ...resultOf(recordOf(part.functionResponse)) };
    if (part.inlineData !== undefined || part.fileData !== undefined) return { type: "image" };
    if (typeof part.text !== "string") return { type: "other", kind: Object.keys(part)[0] ?? "" };
    return { type: part.thought === true ? "reasoning" : "text", text: part.text };
  });
}

/** Output and error have their names by convention; anything else is read as JSON. */
function resultOf({ response }: Body): { readonly text: string; readonly isError: boolean } {
  const given = recordOf(response);
  const isError = given.error !== undefined;
  const value = isError ? given.error : (given.output ?? given.result);
  return { text: typeof value === "string" ? value : JSON.stringify(value ?? given), isError };
}
