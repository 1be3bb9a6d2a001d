import type { Hash, SessionId } from "../kernel/ids.ts";
import { blobsNamedBy } from "../log/blobs.ts";
import type { EntryOf } from "../log/entry.ts";
import type { Damage } from "../ports/store.ts";
import { entryLine } from "./entry-line.ts";
import { exitCodes } from "./exit.ts";
import { type Home, mainStream, sessionNamed, viewHome } from "./home.ts";
import { homeOf } from "./settings.ts";
import { printable, say } from "./terminal.ts";

type Flags = { readonly list?: boolean; readonly all?: boolean; readonly verify?: boolean; readonly json?: boolean };

/** `varve log`: a session's entries, the list of sessions, or the check of every line. Never takes the lease. */
export async function runLog(name: string | undefined, flags: Flags): Promise<number> {
  const home = await viewHome(homeOf(process.env), process.cwd());
  if (flags.list === true) return await listed(home, flags);
  const session = await sessionNamed(home, name);
  const damage: Damage[] = [];
  const blobs = new Map<Hash, number>();
  const redactions: EntryOf<"log-redacted">[] = [];
  let entries = 0;
  for await (const entry of home.stores.log.read(mainStream(session), null, { onDamage: (one) => damage.push(one) })) {
    entries += 1;
    if (entry.type === "log-redacted") redactions.push(entry);
    if (flags.verify === true) {
      for (const hash of blobsNamedBy(entry)) blobs.set(hash, blobs.get(hash) ?? entry.seq);
      continue;
    }
    process.stdout.write(`${flags.json === true ? JSON.stringify(entry) : printable(entryLine(entry))}\n`);
  }
  for (const { line, type, detail } of damage) say(`varve: line ${line}: ${type}, ${detail}`);
  if (flags.verify !== true) return exitCodes.done;
  for (const { seq, at, seqs } of redactions)
    say(`varve: entry ${seq}: entries ${seqs.join(", ")} were redacted on ${new Date(at).toISOString().slice(0, 10)}`);
  const places = damage.length + (await lostBlobs(home, session, blobs));
  process.stdout.write(`${session}: ${entries} entries, ${places === 0 ? "whole" : `${places} damaged places`}\n`);
  return places > 0 ? exitCodes.failed : exitCodes.done;
}

/** Long texts stand beside the log, under the hash of what they hold: one that is gone or altered is no longer what was sent. */
async function lostBlobs(home: Home, session: SessionId, blobs: ReadonlyMap<Hash, number>): Promise<number> {
  let lost = 0;
  for (const [hash, seq] of blobs) {
    const bytes = await home.stores.blobs.get(mainStream(session), hash).catch(() => null);
    if (bytes !== null) continue;
    lost += 1;
    say(`varve: entry ${seq}: the text ${hash.slice(0, 12)} is missing or altered`);
  }
  return lost;
}

const listedMax = 1_000;

async function listed(home: Home, flags: Flags): Promise<number> {
  const project = flags.all === true ? null : home.project;
  const found = await home.stores.log.list({ project, limit: listedMax });
  if (found.length === 0) say(`varve: no sessions${project === null ? "" : " of this project"} yet in ${home.root}`);
  for (const one of found) {
    const when = new Date(one.updatedAt).toISOString().slice(0, 16).replace("T", " ");
    const line = `${one.session}  ${when}  ${one.title}`;
    process.stdout.write(`${flags.json === true ? JSON.stringify(one) : printable(line)}\n`);
  }
  return exitCodes.done;
}
