/**
 * The bits that any unit of a text has: they say at once that no sign beyond ASCII, or no half of a pair, stands in it, and
 * cost a quarter of a pattern that looks at each unit.
 */
export function unitBits(text: string): number {
  let bits = 0;
  for (let from = 0; from < text.length; from += blockUnits) {
    const written = bytes.write(
      from === 0 && text.length <= blockUnits ? text : text.slice(from, from + blockUnits),
      "utf16le",
    );
    view.setUint16(written, 0);
    for (let at = 0; at < written; at += 4) bits |= view.getInt32(at, true);
  }
  return (bits | (bits >>> 16)) & 0xffff;
}

const blockUnits = 4_096;
/** Two units are read at once. */
const bytes = Buffer.alloc((blockUnits + 1) * 2);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
