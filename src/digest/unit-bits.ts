import { bothBytes } from "./text-bytes.ts";

/**
 * The bits that any unit of a text has: they say at once that no sign beyond ASCII, or no half of a pair, stands in it, and
 * cost a quarter of a pattern that looks at each unit.
 */
export function unitBits(text: string): number {
  let bits = 0;
  for (let from = 0; from < text.length; from += blockUnits) {
    const block = from === 0 && text.length <= blockUnits ? text : text.slice(from, from + blockUnits);
    const written = units.write(block, 0);
    units.view.setUint16(written, 0);
    for (let at = 0; at < written; at += 4) bits |= units.view.getInt32(at, true);
  }
  return (bits | (bits >>> 16)) & 0xffff;
}

/** Any sign that a text of one byte a unit cannot have; of such a text it is known without a look at it. */
export const beyondLatin = /[\u0100-\uffff]/;

const blockUnits = 4_096;
const units = bothBytes(blockUnits);
