/** Round numbers from 0 to at least `max`, in steps of 1, 2 or 5 times a power of ten; never more than `countMax` + 2. */
export function roundTicks(max: number, countMax: number, stepMin = 0): readonly number[] {
  const top = Number.isFinite(max) && max > 0 ? max : 1;
  const step = Math.max(stepMin, roundStep(top / Math.max(1, countMax)));
  const ticks: number[] = [];
  for (let k = 0; k <= Math.ceil(top / step - 1e-9); k += 1) ticks.push(k * step);
  return ticks;
}

/** The next round number that is not smaller. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** What a bad file may hold is drawn as nothing rather than as a torn path. */
export function sane(value: number | null | undefined): number {
  if (value === null || value === undefined || Number.isNaN(value) || value < 0) return 0;
  return Math.min(value, drawnMax);
}

const drawnMax = 1e15;

/** `850`, `12.4k`, `167k`, `1.2M`. */
export function tokensText(tokens: number): string {
  const value = sane(tokens);
  const unit = units.find(({ from }) => value >= from * 0.9995) ?? { from: 1, sign: "" };
  const scaled = value / unit.from;
  const digits = unit.sign === "" || scaled >= 100 ? 0 : 1;
  return `${trimmed(scaled.toFixed(digits))}${unit.sign}`;
}

/** A unit begins where the one below it would round to 1,000. */
const units = [
  { from: 1e12, sign: "T" },
  { from: 1e9, sign: "B" },
  { from: 1e6, sign: "M" },
  { from: 1e3, sign: "k" },
] as const;

function trimmed(digits: string): string {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

/** `$1,234`, `$12.34`, `$0.08`, `< $0.01`. */
export function usdText(usd: number): string {
  const value = sane(usd);
  if (value === 0) return "$0";
  if (value < 0.01) return "< $0.01";
  if (value >= 1_000) return `$${Math.round(value).toLocaleString("en-US")}`;
  return `$${value.toFixed(2)}`;
}

/** `41 %`; a share that is there is never shown as nothing. */
export function shareText(share: number): string {
  const percent = sane(share);
  if (percent === 0) return "0 %";
  if (percent < 0.5) return "< 1 %";
  return `${Math.min(100, Math.round(percent))} %`;
}

/** Universal time: the same file gives the same picture everywhere. `2026-03-02`, `14:05`. */
export function dayText(at: number): string {
  return isoOf(at).slice(0, 10);
}

export function clockText(at: number): string {
  return isoOf(at).slice(11, 16);
}

/** `2026-03-02`, `2026-03-02 to 2026-04-01`. */
export function daysText(from: number | null, to: number | null): string {
  if (from === null || to === null) return "time unknown";
  return dayText(from) === dayText(to) ? dayText(from) : `${dayText(from)} to ${dayText(to)}`;
}

/** `2026-03-02 14:05 to 17:10 UTC`. */
export function spanText(from: number | null, to: number | null): string {
  if (from === null || to === null) return "time unknown";
  const start = `${dayText(from)} ${clockText(from)}`;
  if (dayText(from) !== dayText(to)) return `${start} to ${dayText(to)} ${clockText(to)} UTC`;
  return clockText(from) === clockText(to) ? `${start} UTC` : `${start} to ${clockText(to)} UTC`;
}

function isoOf(at: number): string {
  return new Date(Math.max(0, Math.min(sane(at), lastDay))).toISOString();
}

const lastDay = Date.UTC(9999, 11, 31);
