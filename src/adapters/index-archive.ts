import { handleOf, hashOf } from "../kernel/hash.ts";
import { type CallId, type Handle, type LaneId, mainLane, type SessionId } from "../kernel/ids.ts";
import { charsOfText, type Text } from "../log/block.ts";
import { callTitle } from "../log/call-title.ts";
import type { Entry } from "../log/entry.ts";
import type { Named } from "../ports/index-port.ts";
import type { Position, Stores, StreamId } from "../ports/store.ts";

/** An original as the logs name it, and the entry that did. */
export type Archived = Unplaced & { readonly lane: LaneId; readonly seq: number };

type Unplaced = Named & {
  readonly text: Text;
  /** `copy`: what stands elsewhere, as what `recall` or `Search` gave back; `said`: the assistant's own words. */
  readonly kind: "original" | "said" | "copy";
};

/** All originals of one session's logs, its lanes' too. */
export type Archive = {
  /** One of each handle, oldest first; reads what the logs have more than at the call before. */
  all(): Promise<readonly Archived[]>;
  read(one: Archived): Promise<string | null>;
};

type Given = { readonly stores: Pick<Stores, "log" | "blobs">; readonly session: SessionId };

export function archiveOf({ stores: { log, blobs }, session }: Given): Archive {
  const lanes = new Map<LaneId, LaneArchive>();
  let turn: Promise<unknown> = Promise.resolve();
  const streamOf = (lane: LaneId): LaneStream => ({ type: "lane", session, lane });
  const read: ReadText = async (stream, text) => {
    if (typeof text === "string") return text;
    const bytes = await blobs.get(stream, text.blob);
    return bytes === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  };
  const readOn = async (): Promise<readonly Archived[]> => {
    const byHandle = new Map<Handle, Archived>();
    for (const lane of await log.lanes(session)) {
      const known = await readLane({ log, read, stream: streamOf(lane) }, lanes.get(lane) ?? emptyLane());
      lanes.set(lane, known);
      for (const one of known.originals) {
        const other = byHandle.get(one.handle);
        if (other === undefined || ranks[other.kind] < ranks[one.kind]) byHandle.set(one.handle, one);
      }
    }
    return [...byHandle.values()];
  };
  return {
    all: () => {
      const next = turn.then(readOn);
      turn = next.catch(() => undefined);
      return next;
    },
    // Lanes share their session's blobs, so the main one leads to all of them.
    read: ({ text }) => read(streamOf(mainLane), text),
  };
}

/** The same text may be several of these: a copy must not hide what it is a copy of. */
const ranks: Readonly<Record<Archived["kind"], number>> = { copy: 0, said: 1, original: 2 };

type LaneStream = Extract<StreamId, { readonly type: "lane" }>;
/** Tools that give back what stands elsewhere. */
const copying: ReadonlySet<string> = new Set(["recall", "Search"]);

type ReadText = (stream: StreamId, text: Text) => Promise<string | null>;

type LaneArchive = {
  readonly originals: Archived[];
  /** What each call was about, for its result. */
  readonly titles: Map<CallId, string>;
  position: Position | null;
};

function emptyLane(): LaneArchive {
  return { originals: [], titles: new Map(), position: null };
}

type Reading = { readonly log: Stores["log"]; readonly read: ReadText; readonly stream: LaneStream };

/** A log that is no longer the one that was read before is read anew. */
async function readLane(reading: Reading, known: LaneArchive): Promise<LaneArchive> {
  const { log, read, stream } = reading;
  const isFirst = known.position === null;
  let damaged = false;
  const options = {
    onDamage: () => {
      damaged = true;
    },
    onPosition: (position: Position) => {
      known.position = position;
    },
  };
  for await (const entry of log.read(stream, known.position, options)) {
    const originals =
      entry.type === "response-received"
        ? await saidIn(entry.blocks, known.titles, (text) => read(stream, text))
        : archivedIn(entry, known.titles);
    known.originals.push(...originals.map((one) => ({ ...one, lane: stream.lane, seq: entry.seq })));
  }
  return damaged && !isFirst ? await readLane(reading, emptyLane()) : known;
}

/** A longer input of a call is an original of its own; a shorter one stands in its result's title. */
const inputCharsMin = 200;
const titleCharsMax = 300;

function archivedIn(entry: Entry, titles: ReadonlyMap<CallId, string>): readonly Unplaced[] {
  if (entry.type === "message-added") return [archived("user", "message", entry.text)];
  if (entry.type === "text-attached") {
    const { kind, source, text } = entry.attachment;
    return [archived(kind, source, text)];
  }
  if (entry.type === "background-ended") {
    const { handle, output, task } = entry;
    return [{ handle, tool: "Bash", title: task, text: output, kind: "original" }];
  }
  if (entry.type === "placeholder-ended") {
    const { handle, output, run, tool = "Bash", what: title = run } = entry;
    return output === "" ? [] : [{ handle, tool, title, text: output, kind: "original" }];
  }
  if (entry.type === "lane-finished") {
    // Its own log has the answer; where that came in several pieces, this is the only one that is whole.
    const { handle, output, lane, ending } = entry;
    return output === "" ? [] : [{ handle, tool: lane, title: ending, text: output, kind: "copy" }];
  }
  if (entry.type === "tool-returned") {
    const { handle, tool, output, callId } = entry;
    return [
      { handle, tool, title: titles.get(callId) ?? "", text: output, kind: copying.has(tool) ? "copy" : "original" },
    ];
  }
  if (entry.type !== "epoch-opened") return [];
  return entry.edits.flatMap((edit) =>
    edit.type === "inserted"
      ? [{ ...edit.original, tool: edit.kind, title: entry.detail, kind: "original" as const }]
      : [],
  );
}

type Blocks = Extract<Entry, { readonly type: "response-received" }>["blocks"];

async function saidIn(
  blocks: Blocks,
  titles: Map<CallId, string>,
  read: (text: Text) => Promise<string | null>,
): Promise<readonly Unplaced[]> {
  const said: Unplaced[] = [];
  for (const block of blocks) {
    if (block.type === "text" && block.text !== "")
      said.push({ ...archived("assistant", "answer", block.text), kind: "said" });
    if (block.type !== "tool-call") continue;
    const { callId, tool, input } = block;
    const title = callTitle((await read(input)) ?? "").slice(0, titleCharsMax);
    titles.set(callId, title);
    if (charsOfText(input) >= inputCharsMin && tool !== "recall")
      said.push(archived(tool, `input ${title}`.trim(), input));
  }
  return said;
}

function archived(tool: string, title: string, text: Text): Unplaced {
  const handle = handleOf(typeof text === "string" ? hashOf(text) : text.blob);
  return { handle, tool, title, text, kind: "original" };
}
