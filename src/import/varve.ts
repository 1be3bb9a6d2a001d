import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { isMadeAnew, type Piece, type Text } from "../log/block.ts";
import { decodeLine } from "../log/codec.ts";
import type { Entry, EntryOf } from "../log/entry.ts";
import { pendingPieces, reduce } from "../log/reduce.ts";
import { emptyState } from "../log/state.ts";
import { stringAt } from "../provider/lenient.ts";
import { placed } from "./place.ts";
import { joinedRanges, type Range } from "./range.ts";
import type { Raw } from "./record.ts";
import type { BlobText, Item, ItemBody, LineFormat, LineReader } from "./transcript.ts";
import { varvePieces } from "./varve-pieces.ts";

/** Our own logs: a lane's file. What the model saw is what the one reducer says, folds and first forms included. */
export const varve: LineFormat = {
  format: "varve",
  recognises: (records) => records.some(isEntry),
  open,
};

function isEntry(record: Raw): boolean {
  return typeof record.seq === "number" && "fence" in record && "prev" in record && typeof record.type === "string";
}

type Reading = {
  state: typeof emptyState;
  /** Which item each piece of the prompt became. */
  readonly numbers: Map<string, number>;
  readonly requests: Set<string>;
  head: string;
  emitted: number;
};

function open(blobText: BlobText = () => null): LineReader {
  const reading: Reading = { state: emptyState, numbers: new Map(), requests: new Set(), head: "", emitted: 0 };
  const pieces = varvePieces(blobText);
  let place = { line: 0, at: 0, lane: "main" };
  const give = (bodies: readonly ItemBody[], of: ReadonlyMap<ItemBody, string>): readonly Item[] => {
    for (const [at, body] of bodies.entries()) {
      const piece = of.get(body);
      if (piece !== undefined) reading.numbers.set(piece, reading.emitted + at);
    }
    reading.emitted += bodies.length;
    return placed(place, bodies);
  };

  const line: LineReader["line"] = (record, number, raw) => {
    const decoded = decodeLine(raw);
    place = { ...place, line: number };
    if (decoded.type === "bad")
      return give([{ type: "unknown", kind: `entry/${stringAt(record, "type")}`, raw }], new Map());
    const { entry } = decoded;
    const before = reading.state;
    reading.state = reduce(before, entry);
    place = { line: number, at: entry.at, lane: reading.state.started?.lane ?? "main" };
    const of = new Map<ItemBody, string>();
    const shown = (added: readonly Piece[], request: string | null): readonly ItemBody[] =>
      added.map((piece) => {
        const body = pieces(piece, request);
        of.set(body, piece.id);
        return body;
      });
    return give(bodiesOf(entry, before.live, reading, shown, blobText), of);
  };
  return {
    line,
    end: () =>
      give(
        pendingPieces(reading.state).map((piece) => pieces(piece, null)),
        new Map(),
      ),
  };
}

type Show = (added: readonly Piece[], request: string | null) => readonly ItemBody[];

function bodiesOf(
  entry: Entry,
  before: readonly Piece[],
  reading: Reading,
  shown: Show,
  blobText: BlobText,
): readonly ItemBody[] {
  if (entry.type === "session-started") {
    const { session, cwd, version } = entry;
    return [{ type: "session", session, cwd, version }];
  }
  if (entry.type === "epoch-opened")
    return [...opened(entry, before, reading, shown), ...headBodies(entry, reading, blobText)];
  const added = reading.state.live.slice(before.length);
  if (entry.type === "request-sent") return [...shown(added, null), ...begun(entry.request, reading)];
  if (entry.type !== "response-received") return shown(added, null);
  const { request, usage, messageId } = entry;
  return [
    ...begun(request, reading),
    ...shown(added, request),
    ...(usage === null ? [] : [{ type: "usage", request, usage, known: "all", key: messageId || request } as const]),
  ];
}

function begun(request: string, { requests, state }: Reading): readonly ItemBody[] {
  if (requests.has(request)) return [];
  requests.add(request);
  return [{ type: "request", request, model: state.epoch?.model.model ?? state.model?.model ?? null }];
}

/** A break that takes nothing away is none for the context: only what is new is given out. */
function opened(
  entry: EntryOf<"epoch-opened">,
  before: readonly Piece[],
  { state, numbers }: Reading,
  shown: Show,
): readonly ItemBody[] {
  const had = new Set(before);
  const now = new Set(state.live);
  const added = state.live.filter((piece) => !had.has(piece));
  const front = before.filter(isMadeAnew);
  // What is said anew in other words stays beside it, as a context of the user's; facts that are in force no more do not.
  const stays = (piece: Piece) =>
    isMadeAnew(piece) && (isContext(piece) || added.some((one) => isMadeAnew(one) && isSameText(one, piece)));
  if (before.every((piece) => now.has(piece) || stays(piece))) {
    const isSame = (piece: Piece) => isMadeAnew(piece) && front.some((one) => isSameText(piece, one));
    return shown(
      added.filter((piece) => !isSame(piece)),
      null,
    );
  }
  const kept = before.flatMap((piece): readonly Range[] => {
    const number = numbers.get(piece.id);
    return now.has(piece) && number !== undefined ? [[number, number]] : [];
  });
  const keeps = joinedRanges(kept);
  const why = entry.reason === "undone" ? "rewound" : "compacted";
  return [{ type: "restarted", why, by: null, keeps }, ...shown(added, null)];
}

function isContext(piece: Piece): boolean {
  return piece.role === "user" && piece.kind === "context";
}

function isSameText(a: Piece, b: Piece): boolean {
  return a.block.type === "text" && b.block.type === "text" && sameText(a.block.text, b.block.text);
}

function sameText(a: Text, b: Text): boolean {
  return typeof a === "string" || typeof b === "string" ? a === b : a.blob === b.blob;
}

/** The head as it was sent, where the blobs are at hand. */
function headBodies({ head }: EntryOf<"epoch-opened">, reading: Reading, blobText: BlobText): readonly ItemBody[] {
  const name = `${head.tools}/${head.system}`;
  if (reading.head === name) return [];
  reading.head = name;
  const sections = records(blobText(head.system));
  const tools = records(blobText(head.tools)).map((tool) => ({
    name: stringAt(tool, "name"),
    text: `${stringAt(tool, "description")}\n${stringAt(tool, "inputSchema")}`,
  }));
  const text = sections.map((section) => stringAt(section, "text")).join("\n");
  return [
    ...(text === "" ? [] : [{ type: "head", part: "system", text } as const]),
    ...(tools.length === 0 ? [] : [{ type: "head", part: "tools", tools } as const]),
  ];
}

function records(json: string | null): readonly Raw[] {
  const parsed = json === null ? null : parseJson(json);
  return parsed?.type === "ok" && Array.isArray(parsed.value) ? parsed.value.filter(isRecord) : [];
}
