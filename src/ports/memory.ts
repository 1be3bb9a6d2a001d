/** Words to be kept for later sessions. `topic`: what they belong to; null: their own first words. */
export type MemoryNote = { readonly text: string; readonly topic: string | null; readonly scope: "user" | "project" };

export type MemoryKept =
  /** Nothing is kept before the user says so. */
  | { readonly type: "waiting"; readonly id: string }
  | { readonly type: "kept"; readonly name: string }
  | { readonly type: "refused"; readonly why: string };

export type MemoryText =
  | { readonly type: "found"; readonly name: string; readonly text: string }
  | { readonly type: "unknown"; readonly names: readonly string[] };

/** Memory files as tools use them. Nothing here throws for what a disk can do. */
export interface Memory {
  keep(note: MemoryNote): Promise<MemoryKept>;
  /** By `scope/name`, or by a name that only one has. */
  read(name: string): Promise<MemoryText>;
}
