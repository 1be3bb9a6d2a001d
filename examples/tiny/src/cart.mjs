/** Sum of the lines, in cents. */
export function total(lines) {
  return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
}

/** Number of pieces in all lines. */
export function pieces(lines) {
  return lines.reduce((sum, line) => sum + line.quantity, 0);
}
