import { readFile } from "node:fs/promises";

export type Probe = { readonly call: string; readonly text: string; readonly src: string };

export async function probesBySession(data: string): Promise<ReadonlyMap<string, readonly Probe[]>> {
  const text = await readFile(`${data}/retention/probes.jsonl`, "utf8");
  const rows: readonly (Probe & { readonly session: string })[] = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  return Map.groupBy(rows, ({ session }) => session);
}

/** Texts of a session's tool results by call id, as any of the formats writes them; a call may be written twice. */
export async function originalResults(data: string, session: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await readFile(`${data}/sessions/${session}`, "utf8");
  const found = new Map<string, string[]>();
  for (const value of valuesOf(text)) collect(value, found);
  return found;
}

function valuesOf(text: string): readonly unknown[] {
  const whole = parsed(text);
  return whole !== undefined ? [whole] : text.split("\n").flatMap((line) => parsed(line) ?? []);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A torn or blank line holds no result.
    return undefined;
  }
}

function collect(value: unknown, found: Map<string, string[]>): void {
  if (typeof value !== "object" || value === null) return;
  const id = field(value, "tool_use_id") ?? field(value, "call_id") ?? field(value, "toolCallId");
  const content = field(value, "content") ?? field(value, "output");
  if (typeof id === "string" && content !== undefined && field(value, "arguments") === undefined) {
    found.set(id, [...(found.get(id) ?? []), flat(content)]);
  }
  for (const part of Object.values(value)) collect(part, found);
}

function flat(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    const texts = content.flatMap((part) => {
      const text = typeof part === "string" ? part : field(part, "text");
      return typeof text === "string" ? [text] : [];
    });
    return texts.join("\n");
  }
  const inner = field(content, "content") ?? field(content, "text") ?? field(content, "output");
  return typeof inner === "string" ? inner : "";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) && name in value
    ? Reflect.get(value, name)
    : undefined;
}
