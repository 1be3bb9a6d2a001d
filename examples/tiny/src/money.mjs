/** `1290` becomes `12.90`. */
export function money(cents) {
  const whole = Math.floor(cents / 100);
  const rest = cents % 100;
  return `${whole}.${rest}`;
}
