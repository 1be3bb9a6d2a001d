import { laneReport } from "../../agent/context-of.ts";
import { linesOfDefence } from "../../audit/defence.ts";
import type { Hash } from "../../kernel/ids.ts";
import { blobsNamedBy } from "../../log/blobs.ts";
import type { Entry } from "../../log/entry.ts";
import { codecFor } from "../../provider/codecs.ts";
import type { Run } from "./report.ts";

/** What our own ledger says of a session, request by request, and what each line of defence did in it. */
export async function sessionRows(
  read: () => AsyncIterable<Entry>,
  {
    getBlob,
    windowTokens,
  }: { readonly getBlob: (hash: Hash) => Promise<string | null>; readonly windowTokens: number },
): Promise<Pick<Run, "rows" | "lines">> {
  const options = { prices: {}, windowFor: () => ({ windowTokens }), now: 0 };
  const { rows } = await laneReport(read(), { codecFor, getBlob }, options);
  const entries: Entry[] = [];
  for await (const entry of read()) entries.push(entry);
  const texts = new Map<Hash, string>();
  for (const hash of new Set(entries.flatMap(blobsNamedBy))) {
    const text = await getBlob(hash);
    if (text !== null) texts.set(hash, text);
  }
  return { rows, lines: linesOfDefence(entries, rows, { texts, prices: {}, windowTokens }) };
}
