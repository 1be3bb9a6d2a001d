import { isRecord } from "../kernel/canonical.ts";
import { hashOf } from "../kernel/hash.ts";
import { brand, type Hash } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";

/** Raised whenever the state's shape or the reducer's meaning changes: an older checkpoint is then simply not used. */
export const checkpointVersion = 21;

/** Where the log stood when the state was made. Mirrors the store's position; `hint` is the store's own. */
export type CheckpointPosition = { readonly seq: number; readonly hash: Hash | ""; readonly hint?: string };

export function encodeCheckpoint(position: CheckpointPosition, stateText: string): string {
  const hash = sealOf(position, stateText);
  return JSON.stringify({ version: checkpointVersion, hash, position, state: stateText });
}

/** null for anything but a whole checkpoint of this version: it is a shortcut, so the log answers instead. */
export function readCheckpoint(
  text: string,
): { readonly position: CheckpointPosition; readonly stateText: string } | null {
  const parsed = parseJson(text);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return null;
  const { version, hash, state } = parsed.value;
  const position = positionOf(parsed.value.position);
  if (version !== checkpointVersion || typeof state !== "string" || position === null) return null;
  return hash === sealOf(position, state) ? { position, stateText: state } : null;
}

function positionOf(value: unknown): CheckpointPosition | null {
  if (!isRecord(value)) return null;
  const { seq, hash, hint } = value;
  if (typeof seq !== "number" || !Number.isFinite(seq) || seq < 0 || typeof hash !== "string") return null;
  if (hint !== undefined && typeof hint !== "string") return null;
  return { seq, hash: hash === "" ? "" : brand(hash), ...(hint === undefined ? {} : { hint }) };
}

function sealOf(position: CheckpointPosition, stateText: string): Hash {
  return hashOf(`${checkpointVersion}\n${position.seq}\n${position.hash}\n${position.hint ?? ""}\n${stateText}`);
}
