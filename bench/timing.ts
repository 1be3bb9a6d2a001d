/** `values` need not be sorted; p in 0..1. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
