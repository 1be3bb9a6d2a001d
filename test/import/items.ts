import { readTranscript } from "../../src/import/read.ts";
import type { Item } from "../../src/import/transcript.ts";
import { addUsage, noUsage, type Usage } from "../../src/kernel/usage.ts";

/** Items of a file with this text; throws where no format takes it. */
export async function itemsOfText(text: string): Promise<readonly Item[]> {
  const found = await readTranscript([new TextEncoder().encode(text)]);
  if (found.type === "foreign") throw new Error(found.why);
  return await gathered(found.items);
}

export async function gathered(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function itemsOfLines(records: readonly unknown[]): Promise<readonly Item[]> {
  return await itemsOfText(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

/** As most programs write documents: over many lines. */
export async function itemsOfDocument(value: unknown): Promise<readonly Item[]> {
  return await itemsOfText(JSON.stringify(value, null, 2));
}

export function ofType<T extends Item["type"]>(items: readonly Item[], type: T): readonly Extract<Item, { type: T }>[] {
  return items.filter((item): item is Extract<Item, { type: T }> => item.type === type);
}

/** The last report of each request, together. */
export function usageIn(items: readonly Item[]): Usage {
  const reports = new Map(ofType(items, "usage").map((item) => [item.request, item.usage]));
  return [...reports.values()].reduce(addUsage, noUsage);
}

/** What an item is, in a word or two, for tests of order. */
export function outline(items: readonly Item[]): readonly string[] {
  return items.map((item) => {
    if (item.type === "message") return `${item.from}: ${item.text}`;
    if (item.type === "text") return `text: ${item.text}`;
    if (item.type === "call") return `call ${item.callId}`;
    if (item.type === "result") return `result ${item.callId}`;
    if (item.type === "restarted") return `restarted ${item.why}`;
    return item.type;
  });
}
