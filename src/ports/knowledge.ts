import type { Attachment, AttachmentKind, AttachmentName } from "../log/attached.ts";
import type { FindSkills } from "./skills.ts";

/** A text that is to stand in the conversation, as it is outside now. */
export type Offered = Omit<Attachment, "text" | "original"> & { readonly text: string; readonly original?: string };

export type Told = {
  readonly attachments: readonly Offered[];
  /** Kinds of which all that applies is told: what was attached of them and is not here is gone. */
  readonly covers: readonly AttachmentKind[];
  /** Of these kinds, what stays as it was attached, though what it says now is not known. */
  readonly kept?: readonly AttachmentName[];
  /** Of other kinds, what was attached and no longer holds. */
  readonly ended?: readonly (AttachmentName & { readonly why: string })[];
  /** What the user should know: a file that is too large, a cycle, one that cannot be read. Said once each. */
  readonly notes: readonly string[];
};

/** What a look is for: a message of the user's, or (null) results of tools in the middle of a turn. */
export type LookAt = {
  readonly message: string | null;
  /** Files that were read or written in the session, absolute paths. */
  readonly touched: readonly string[];
  /** What is attached and in force. */
  readonly held: readonly Omit<Offered, "text">[];
};

/**
 * What project and user keep on disk for the agent: instructions, rules, skills, memories. Every look is bounded in time and
 * size and never fails: what is wrong is a note.
 */
export interface Knowledge {
  look(at: LookAt): Promise<Told>;
  /** Left out: there are none. */
  readonly skills?: FindSkills;
}
