import { canonicalJson, type Json } from "../../kernel/canonical.ts";
import { hashOf } from "../../kernel/hash.ts";
import { brand, type Hash } from "../../kernel/ids.ts";
import { decodeBase64, sealOf } from "./seal.ts";
import type { SimSegment } from "./segment.ts";

/** What a compaction of ours records: what it says, and what stood there before it (PROTOCOLS A.5, B.4). */
export type SealedSummary = {
  readonly content: Hash;
  readonly toolChanges: Hash;
  /** What must stand before the summary for the kept turns behind it to go on as they were. */
  readonly head: Hash;
  /** What those turns came after: the conversation that was summed up. */
  readonly prefix: Hash;
  /** The role that ended it. */
  readonly lastRole: string;
  /** Whether the model that made it ties reasoning to its prefix, so that kept reasoning stays valid. */
  readonly isBound: boolean;
  /** The summary itself, where it travels in here. */
  readonly text: string;
};

export function contentHash(content: unknown): Hash {
  // What came from JSON or goes into it is JSON.
  return hashOf(canonicalJson((content ?? null) as Json));
}

export function sealSummary(of: SealedSummary): string {
  const { content, toolChanges, head, prefix, lastRole, isBound } = of;
  const payload = [content, toolChanges, head, prefix, lastRole === "" ? "none" : lastRole, isBound].join(" ");
  const text = encodeURIComponent(of.text.toWellFormed());
  return btoa(`compaction ${payload} ${sealOf(payload, text)} ${text}`);
}

/** Null for what we did not make. */
export function openSummary(sealed: unknown): SealedSummary | null {
  const words = decodeBase64(typeof sealed === "string" ? sealed : "").split(" ");
  const [kind, content = "", toolChanges = "", head = "", prefix = "", lastRole = "", isBound = "", mac] = words;
  const text = words[8] ?? "";
  if (kind !== "compaction" || mac !== sealOf(words.slice(1, 7).join(" "), text)) return null;
  return {
    content: brand(content),
    toolChanges: brand(toolChanges),
    head: brand(head),
    prefix: brand(prefix),
    lastRole,
    isBound: isBound === "true",
    text: decodeURIComponent(text),
  };
}

/** The segments, the one at `at` going on from what its summary stands for. */
export function resumed(segments: readonly SimSegment[], at: number, resumes: Hash): readonly SimSegment[] {
  return segments.map((segment, index) => (index === at ? { ...segment, resumes } : segment));
}
