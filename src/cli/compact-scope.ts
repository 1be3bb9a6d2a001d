import { isMadeAnew, type Piece } from "../log/block.ts";
import type { Entry, EntryType } from "../log/entry.ts";
import { shownIn } from "../log/shown.ts";
import type { State } from "../log/state.ts";
import type { SummaryScope } from "../log/summary.ts";
import type { Part } from "./compact-operands.ts";
import { CommandError } from "./exit.ts";

type Entries = () => AsyncIterable<Entry>;

/** The part as the session names it: from an entry's first piece of the prompt on, or up to its last one. */
export async function scopeOf(part: Part, state: State, entries: Entries): Promise<SummaryScope> {
  if (part.kind === "all") return part;
  const shown = shownIn(state).filter((piece) => isShown(piece, state));
  const own = shown.filter(({ id }) => entryOf(id) === part.entry);
  const piece = part.kind === "from" ? own.at(0) : own.at(-1);
  if (piece === undefined) throw new CommandError(await whyNot(part.entry, shown, entries));
  return { kind: part.kind, piece: piece.id };
}

/** What a break writes anew cannot go; what another wire brought is shown there only as far as it is said in words or calls. */
function isShown(piece: Piece, { epoch }: State): boolean {
  if (isMadeAnew(piece)) return false;
  if (piece.role !== "assistant" || piece.from === epoch?.model.wire) return true;
  const { block } = piece;
  if (block.type === "text") return typeof block.text !== "string" || block.text.trim() !== "";
  return block.type === "tool-call";
}

/** `<entry>.<index>`; an entry that shares its number with another has a fraction (log/reduce.ts). */
function entryOf(id: string): number {
  return Number(id.slice(0, id.lastIndexOf(".")));
}

async function whyNot(entry: number, shown: readonly Piece[], entries: Entries): Promise<string> {
  const types = new Map<number, EntryType>();
  for await (const { seq, type } of entries()) types.set(seq, type);
  const numbers = [...new Set(shown.map(({ id }) => entryOf(id)))].filter(Number.isInteger).toSorted((a, b) => a - b);
  const near = [numbers.findLast((one) => one < entry), numbers.find((one) => one > entry)];
  const named = (one: number) => `${one} (${types.get(one) ?? "?"})`;
  const can = near.filter((one) => one !== undefined).map(named);
  const nearest =
    can.length === 0
      ? "nothing of this session can be named"
      : `the nearest ${can.length === 1 ? "is" : "are"} ${can.join(" and ")}`;
  return `${whatItIs(entry, types)}; ${nearest}`;
}

function whatItIs(entry: number, types: ReadonlyMap<number, EntryType>): string {
  const type = types.get(entry);
  if (type === undefined) return `there is no entry ${entry}, the newest is ${Math.max(0, ...types.keys())}`;
  return `entry ${entry} (${type}) ${said.has(type) ? "is not in the prompt any more" : "is no part of the prompt"}`;
}

/** Entries that bring something into the prompt. */
const said: ReadonlySet<EntryType> = new Set([
  "message-added",
  "reminder-added",
  "response-received",
  "tool-returned",
  "outcome-unknown",
]);
