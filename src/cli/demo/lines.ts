import { linesOfDefence } from "../../audit/defence.ts";
import type { LineOfDefence } from "../../audit/defence-line.ts";
import type { Hash } from "../../kernel/ids.ts";
import type { LedgerRow } from "../../ledger/row.ts";
import { blobsNamedBy } from "../../log/blobs.ts";
import type { Entry } from "../../log/entry.ts";

/** What each line of defence did in a session, with all its stored texts read first. */
export async function linesIn(
  log: AsyncIterable<Entry>,
  rows: readonly LedgerRow[],
  {
    getBlob,
    windowTokens,
  }: { readonly getBlob: (hash: Hash) => Promise<string | null>; readonly windowTokens: number },
): Promise<readonly LineOfDefence[]> {
  const entries: Entry[] = [];
  for await (const entry of log) entries.push(entry);
  const texts = new Map<Hash, string>();
  for (const hash of new Set(entries.flatMap(blobsNamedBy))) {
    const text = await getBlob(hash);
    if (text !== null) texts.set(hash, text);
  }
  return linesOfDefence(entries, rows, { texts, prices: {}, windowTokens });
}
