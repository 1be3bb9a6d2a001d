import { hash } from "node:crypto";
import { brand, type Handle, type Hash } from "./ids.ts";

/** SHA-256 of UTF-8 text or bytes. */
export function hashOf(content: string | Uint8Array): Hash {
  return brand(hash("sha256", content));
}

/** `chain(i) = H(chain(i-1), bytes as first sent)` (DESIGN 4): names a block together with all that stands before it. */
export function chain(previous: Hash | "", next: Hash): Hash {
  return hashOf(`${previous}\n${next}`);
}

/** A handle is the first 12 hex digits of its original's hash: the same content has the same handle everywhere. */
export function handleOf(hash: Hash): Handle {
  return brand(hash.slice(0, 12));
}
