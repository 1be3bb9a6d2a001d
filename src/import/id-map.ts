export type IdMap = ReturnType<typeof openIdMap>;

/**
 * Numbers under ids. A file may have millions of ids, so of each only 63 bits of a hash are kept, and beside them the
 * number: a tenth of what the texts in a map would take. That any two of ten million ids are taken for one has a chance
 * of one in 180,000; a line of a foreign log would be misplaced, no more.
 */
export function openIdMap() {
  let slots = new Int32Array(slotsMin * words);
  let size = 0;

  /** Where an id stands, or the free place where it would. */
  const placeOf = (table: Int32Array, high: number, low: number): number => {
    const last = table.length / words - 1;
    let slot = high & last;
    for (; table[slot * words + 1] !== 0; slot = (slot + 1) & last)
      if (table[slot * words] === high && table[slot * words + 1] === low) break;
    return slot * words;
  };
  const grow = (): void => {
    const larger = new Int32Array(slots.length * 2);
    for (let at = 0; at < slots.length; at += words) {
      const [high = 0, low = 0, value = 0] = slots.subarray(at, at + words);
      if (low !== 0) larger.set([high, low, value], placeOf(larger, high, low));
    }
    slots = larger;
  };

  return {
    get: (id: string): number | undefined => {
      const at = placeOf(slots, hash(id, seeds.high), hash(id, seeds.low) | 1);
      return slots[at + 1] === 0 ? undefined : slots[at + 2];
    },
    /** A whole number of 32 bits. */
    set: (id: string, value: number): void => {
      const high = hash(id, seeds.high);
      const low = hash(id, seeds.low) | 1;
      let at = placeOf(slots, high, low);
      if (slots[at + 1] === 0) {
        size += 1;
        if (size * 4 > (slots.length / words) * 3) grow();
        at = placeOf(slots, high, low);
      }
      slots[at] = high;
      slots[at + 1] = low;
      slots[at + 2] = value;
    },
    size: (): number => size,
  };
}

/** The number of an id, the next one where it is new. */
export function numberIn(map: IdMap, id: string): number {
  const known = map.get(id);
  if (known !== undefined) return known;
  const number = map.size();
  map.set(id, number);
  return number;
}

/** Two of a hash, of which the second is never 0, and the number. */
const words = 3;
const slotsMin = 64;
const seeds = { high: 0x9e3779b9, low: 0x51ed270b } as const;

/** 32 bits in which every character counts (murmur3 by code units). */
export function hash(text: string, seed: number): number {
  let mixed = seed;
  for (let at = 0; at < text.length; at += 1) {
    const unit = Math.imul(text.charCodeAt(at), 0xcc9e2d51);
    mixed ^= Math.imul((unit << 15) | (unit >>> 17), 0x1b873593);
    mixed = Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64;
  }
  mixed ^= text.length;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
