/** A number for the line's beginning, in which all numbers, decimal and hexadecimal, are as one. */
export function shapeOf(line: string): number {
  const to = Math.min(line.length, shapedChars);
  let shape = 0;
  // Of the run of hexadecimal signs at hand; 0 kinds: there is none.
  let [run, kinds] = [0, 0];
  for (let at = 0; at < to; at++) {
    const unit = line.charCodeAt(at);
    const kind = unit < 128 ? (hexKinds[unit] ?? 0) : 0;
    if (kind !== 0) {
      kinds |= kind;
      run = (Math.imul(run, 31) + unit) | 0;
      continue;
    }
    if (kinds !== 0) shape = (Math.imul(shape, 31) + (kinds >= digit ? numberSign : run)) | 0;
    shape = (Math.imul(shape, 31) + unit) | 0;
    run = kinds = 0;
  }
  return kinds === 0 ? shape : (Math.imul(shape, 31) + (kinds >= digit ? numberSign : run)) | 0;
}

export const shapedChars = 200;

const digit = 2;
const numberSign = 0x23;

/** A digit, 1: another sign of a hexadecimal number. */
const hexKinds = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  return /\d/.test(sign) ? digit : Number(/[a-f]/i.test(sign));
});
