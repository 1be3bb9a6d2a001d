/** What the demo's engineer writes into new files when money moves to a module of its own. */

export const moneyModule = `/** Money is in cents, so that sums stay whole numbers. */
export type Cents = number;

/** \`1290\` becomes \`€12.90\`. */
export function money(cents: Cents): string {
  const sign = cents < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, "0");
  return \`\${sign}€\${String(whole).replace(/\\B(?=(\\d{3})+$)/g, ",")}.\${rest}\`;
}
`;

/** Pins what \`money\` does before it moves; only the import changes then. */
export const moneyTests = `import { expect, test } from "vitest";
import { money } from "../src/format.ts";

const rows = [
  { cents: 0, text: "€0.00" },
  { cents: 5, text: "€0.05" },
  { cents: 1290, text: "€12.90" },
  { cents: 100_000, text: "€1,000.00" },
  { cents: 123_456_789, text: "€1,234,567.89" },
  { cents: -590, text: "-€5.90" },
];

test.each(rows)("$cents cents are written as $text", ({ cents, text }) => {
  expect(money(cents)).toBe(text);
});
`;
