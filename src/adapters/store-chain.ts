import { bounds } from "../kernel/bounds.ts";
import type { Hash } from "../kernel/ids.ts";
import type { Damage, Position } from "../ports/store.ts";

/**
 * What reading remembers of the lines before: enough to name duplicates, gaps and breaks in the chain.
 * `seq` is the highest number so far, `bad` the unreadable lines since it. `kept` and `raw` are the hashes of the last
 * entry and of the last line of any kind; a writer may have chained to either. After damage one link is `forgiven`:
 * it was reported already. `other` is the hash of the last line of another session's log that was pasted in, while that lasts.
 */
export type Chain = {
  readonly seq: number;
  readonly bad: number;
  readonly kept: Hash | "";
  readonly raw: Hash | "";
  readonly forgiven: boolean;
  readonly other: Hash | null;
};

export const emptyChain: Chain = { seq: 0, bad: 0, kept: "", raw: "", forgiven: false, other: null };

/**
 * The number up to which was read. An unreadable line has no number of its own, and none between its neighbours may be
 * free, so it takes a fraction above the entry before it: 10, then 10.5, 10.66..., then 11. Order stays strict, no
 * written number is ever met, and the whole part is what an append after it counts from.
 */
export function readNumberOf(chain: Chain): number {
  return chain.bad === 0 ? chain.seq : chain.seq + 1 - 1 / (chain.bad + 1);
}

export function chainAt(position: Position): Chain {
  const seq = Math.floor(position.seq);
  const bad = Math.round(1 / (1 - (position.seq - seq))) - 1;
  return { seq, bad, kept: position.hash, raw: position.hash, forgiven: bad > 0, other: null };
}

export function afterBad(chain: Chain, hash: Hash): Chain {
  const other = chain.other === null ? null : hash;
  return { ...chain, bad: chain.bad + 1, raw: hash, forgiven: true, other };
}

/** `seq` is the number the entry has: its own, but where the chain shows that it was altered. */
export type Link = {
  readonly chain: Chain;
  readonly seq: number;
  readonly keep: boolean;
  readonly damage: Omit<Damage, "line"> | null;
};

/**
 * Lines of another session's log, from its first line as far as its chain goes: not this session's, so left out, and named
 * once. null: the line is ours. Nothing of ours is ever chained to such a line.
 */
export function afterOther(
  chain: Chain,
  line: { readonly seq: number; readonly prev: Hash | ""; readonly hash: Hash },
  startsOther: boolean,
): Link | null {
  if (startsOther && line.seq <= chain.seq) {
    const detail = "the log of another session stands here; its entries are left out";
    return {
      chain: { ...chain, other: line.hash },
      seq: line.seq,
      keep: false,
      damage: { type: "other-session", detail },
    };
  }
  if (chain.other === null || line.prev !== chain.other) return null;
  return { chain: { ...chain, other: line.hash }, seq: line.seq, keep: false, damage: null };
}

/** What a new line is chained to. */
export function linkOf(chain: Chain): Hash | "" {
  return chain.other === null ? chain.raw : chain.kept;
}

/** `repeated`: the same bytes stood before. Only asked for when the number did not grow. */
export function afterEntry(
  chain: Chain,
  line: { readonly seq: number; readonly prev: Hash | ""; readonly hash: Hash },
  repeated: boolean,
): Link {
  const { seq, prev, hash } = line;
  if (seq <= chain.seq && repeated) {
    const detail = `entry ${seq} stands here a second time, byte for byte; it is left out`;
    return { chain: { ...chain, raw: hash, other: null }, seq, keep: false, damage: { type: "duplicate", detail } };
  }
  if (isMisnumbered(chain, line)) {
    // Whoever wrote it had read the line before it, and counted on from there.
    const detail = `an entry says number ${seq} and was written as ${chain.seq + 1}`;
    const next = { seq: chain.seq + 1, bad: 0, kept: hash, raw: hash, forgiven: true, other: null };
    return { chain: next, seq: next.seq, keep: true, damage: { type: "broken-chain", detail } };
  }
  if (seq <= chain.seq) {
    const detail = `another entry with number ${seq}; both are kept, in the order of the file`;
    const next = { ...chain, kept: hash, raw: hash, forgiven: true, other: null };
    return { chain: next, seq, keep: true, damage: { type: "same-seq", detail } };
  }
  const next: Chain = { seq, bad: 0, kept: hash, raw: hash, forgiven: false, other: null };
  return { chain: next, seq, keep: true, damage: chain.forgiven ? null : linkDamage(chain, seq, prev) };
}

function linkDamage(chain: Chain, seq: number, prev: Hash | ""): Omit<Damage, "line"> | null {
  if (seq > chain.seq + 1) {
    const missing = seq - chain.seq - 1;
    return { type: "gap", detail: `${missing} ${missing === 1 ? "entry is" : "entries are"} missing before ${seq}` };
  }
  if (isLinked(chain, prev)) return null;
  return { type: "broken-chain", detail: `the line before ${seq} is not the one it was written after` };
}

function isLinked(chain: Chain, prev: Hash | ""): boolean {
  return prev === chain.kept || prev === chain.raw;
}

type Numbered = { readonly seq: number; readonly prev: Hash | "" };

/** It says that it stands behind the line before it, and counts otherwise: the number was altered. */
function isMisnumbered(chain: Chain, { seq, prev }: Numbered): boolean {
  return !chain.forgiven && seq !== chain.seq + 1 && isLinked(chain, prev);
}

/** No writer skips numbers: one so far off is no number, and counting on from it would end counting. */
export function isTooFar(chain: Chain, line: Numbered): boolean {
  return line.seq > chain.seq + bounds.gapMax && !isMisnumbered(chain, line);
}
