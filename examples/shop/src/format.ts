import type { Cents } from "./types.ts";

/** `1290` becomes `€12.90`. */
export function money(cents: Cents): string {
  const sign = cents < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, "0");
  return `${sign}€${String(whole).replace(/\B(?=(\d{3})+$)/g, ",")}.${rest}`;
}

/** `850` becomes `850 g`, `1250` becomes `1.25 kg`. */
export function weight(grams: number): string {
  return grams < 1000 ? `${grams} g` : `${Number((grams / 1000).toFixed(2))} kg`;
}

/** `1 item`, `3 items`. */
export function count(amount: number, word: string): string {
  return `${amount} ${word}${amount === 1 ? "" : "s"}`;
}

/** `4.3` becomes `★★★★☆`, for the eye; the number stands beside it for everybody else. */
export function stars(rating: number): string {
  const full = Math.round(rating);
  return "★".repeat(full) + "☆".repeat(5 - full);
}
