import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { brand, mainLane, type ProjectId, type SessionId } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import { charsOfText, type Text } from "../log/block.ts";
import type { Stores } from "../ports/store.ts";
import { type Archive, type Archived, archiveOf } from "./index-archive.ts";
import type { Stored } from "./project-database.ts";

/** What a project's sessions archived, as documents. */
export type ProjectSessions = {
  /** Newest first, the own one before them. `stamp` changes with what a session holds. */
  readonly list: () => Promise<readonly { readonly session: SessionId; readonly stamp: string }[]>;
  /** Whether it has a log: of many sessions not all are listed. */
  readonly isThere: (session: SessionId) => Promise<boolean>;
  readonly originals: (session: SessionId) => Promise<readonly Stored[]>;
  /** The text of an original, or its beginning where it is longer than is indexed; null: it is gone. */
  readonly read: (detail: Detail, much?: "whole") => Promise<string | null>;
  /** Of the own session: the entry from which on everything is the turn at hand, and so in the window anyway. */
  readonly turnStart: () => Promise<number>;
  readonly own: SessionId | null;
};

/** Where an original was archived. */
export type Detail = {
  readonly session: SessionId;
  readonly isMain: boolean;
  readonly seq: number;
  readonly tool: string;
  readonly title: string;
  readonly text: Text;
};

/** The root that stands for all sessions of the project. */
export const sessionsRoot = "sessions";

export function projectSessions(given: {
  readonly stores: Pick<Stores, "log" | "blobs">;
  /** null: only the own session is known to belong here. */
  readonly project: ProjectId | null;
  readonly own: SessionId | null;
}): ProjectSessions {
  const { stores, project, own } = given;
  // Only the own session grows while we look at it: what was read of it is kept.
  const ownArchive = own === null ? null : archiveOf({ stores, session: own });
  const archive = (session: SessionId): Archive =>
    session === own && ownArchive !== null ? ownArchive : archiveOf({ stores, session });
  return {
    own,
    list: async () => {
      const all = project === null ? [] : await stores.log.list({ project, limit: bounds.projectSessionsMax });
      const others = all.filter(({ session }) => session !== own);
      const rows = others.map(({ session, updatedAt }) => ({ session, stamp: String(updatedAt) }));
      return own === null ? rows : [{ session: own, stamp: "" }, ...rows];
    },
    isThere: async (session) => (await stores.log.lanes(session)).length > 0,
    originals: async (session) =>
      (await archive(session).all()).filter(({ kind }) => kind !== "copy").map((one) => storedOf(session, one)),
    read: async ({ session, text }, much) => {
      if (typeof text === "string") return much === "whole" ? text : text.slice(0, bounds.projectOriginalCharsMax);
      // Enough for so many characters of any script.
      const isLong = much !== "whole" && text.chars > bounds.projectOriginalCharsMax;
      const to = isLong ? bounds.projectOriginalCharsMax : undefined;
      const bytes = await stores.blobs.get({ type: "lane", session, lane: mainLane }, text.blob, 0, to);
      return bytes === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    },
    turnStart: async () => {
      const said = (await ownArchive?.all()) ?? [];
      return said.reduce(
        (seq, one) => (one.tool === "user" && one.lane === mainLane ? Math.max(seq, one.seq) : seq),
        0,
      );
    },
  };
}

function storedOf(session: SessionId, one: Archived): Stored {
  const { handle, tool, title, text, lane, seq } = one;
  const detail: Detail = { session, isMain: lane === mainLane, seq, tool, title, text };
  return {
    name: handle,
    kind: "sessions",
    root: sessionsRoot,
    stamp: "",
    hash: typeof text === "string" ? "" : text.blob,
    title: `${tool} ${title}`.trim(),
    detail: JSON.stringify(detail),
  };
}

/** null: another program's, or no longer whole. */
export function detailOf(json: string): Detail | null {
  const parsed = parseJson(json);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return null;
  const { session, isMain, seq, tool, title, text } = parsed.value;
  const known = textOf(text);
  if (typeof session !== "string" || typeof seq !== "number" || known === null) return null;
  if (typeof tool !== "string" || typeof title !== "string") return null;
  return { session: brand(session), isMain: isMain === true, seq, tool, title, text: known };
}

function textOf(value: unknown): Text | null {
  if (typeof value === "string") return value;
  if (!isRecord(value) || typeof value.blob !== "string" || typeof value.chars !== "number") return null;
  return { blob: brand(value.blob), chars: value.chars };
}

export function charsIn({ text }: Detail): number {
  return charsOfText(text);
}
