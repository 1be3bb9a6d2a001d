import { isRecord } from "../../kernel/canonical.ts";

/** Readers for parsed JSON of unknown shape: a wrong type reads as empty, the rules have refused it before. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Content in either spelling as a list of blocks. */
export function blocksOf(content: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).map(recordOf);
}

/** The input of a Responses request in either spelling as a list of items. */
export function inputItemsOf(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  if (typeof body.input === "string") return [{ type: "message", role: "user", content: body.input }];
  return listOf(body.input).map(recordOf);
}

export function messagesOf(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return listOf(body.messages).map(recordOf);
}
