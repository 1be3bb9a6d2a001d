/** From when to when, in milliseconds since 1970; null where no time was recorded. */
export type Span = { readonly firstAt: number | null; readonly lastAt: number | null };

export function spanOf(parts: readonly Span[]): Span {
  return parts.reduce<Span>(
    (span, { firstAt, lastAt }) => ({
      firstAt: span.firstAt === null || (firstAt !== null && firstAt < span.firstAt) ? firstAt : span.firstAt,
      lastAt: span.lastAt === null || (lastAt !== null && lastAt > span.lastAt) ? lastAt : span.lastAt,
    }),
    { firstAt: null, lastAt: null },
  );
}
