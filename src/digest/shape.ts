/** A number for the line's beginning, in which all numbers, decimal and hexadecimal, are as one. */
export function shapeOf(line: string): number {
  const to = Math.min(line.length, shapedChars);
  let shape = 0;
  for (let at = 0; at < to; ) {
    const start = at;
    let hasDigit = false;
    let run = 0;
    for (; at < to; at++) {
      const unit = line.charCodeAt(at);
      const kind = unit < 128 ? (hexKinds[unit] ?? 0) : 0;
      if (kind === 0) break;
      if (kind === 2) hasDigit = true;
      run = (Math.imul(run, 31) + unit) | 0;
    }
    if (at > start) shape = (Math.imul(shape, 31) + (hasDigit ? 0x23 : run)) | 0;
    else shape = (Math.imul(shape, 31) + line.charCodeAt(at++)) | 0;
  }
  return shape;
}

export const shapedChars = 200;

/** 2: a digit, 1: another sign of a hexadecimal number. */
const hexKinds = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  return /\d/.test(sign) ? 2 : Number(/[a-f]/i.test(sign));
});
