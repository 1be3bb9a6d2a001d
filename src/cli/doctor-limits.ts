/**
 * A provider's limits as one text, from the headers of its answer: `requests 49 of 50 left until 2026-11-29T12:01:00Z`.
 * Names differ: `anthropic-ratelimit-requests-remaining`, `x-ratelimit-remaining-requests`, `ratelimit-remaining`.
 */
export function limitsText(headers: Readonly<Record<string, string>>): string | null {
  const kinds = new Map<string, Limit>();
  for (const [name, value] of Object.entries(headers)) {
    const part = partOf(name.toLowerCase());
    if (part !== null) kinds.set(part.kind, { ...kinds.get(part.kind), [part.what]: value.slice(0, valueCharsMax) });
  }
  const texts = [...kinds].map(([kind, limit]) => limitText(kind, limit)).sort();
  return texts.length === 0 ? null : texts.join("; ");
}

type What = "limit" | "remaining" | "reset";
type Limit = { readonly [K in What]?: string };

const valueCharsMax = 40;
const forms: readonly RegExp[] = [
  /^anthropic-ratelimit-(?<kind>.+)-(?<what>limit|remaining|reset)$/,
  /^x-ratelimit-(?<what>limit|remaining|reset)-(?<kind>.+)$/,
  /^(?:x-)?ratelimit-(?<what>limit|remaining|reset)$/,
];
const whats: readonly What[] = ["limit", "remaining", "reset"];

function partOf(name: string): { readonly kind: string; readonly what: What } | null {
  for (const form of forms) {
    const groups = form.exec(name)?.groups;
    const what = whats.find((one) => one === groups?.what);
    if (what !== undefined) return { kind: groups?.kind ?? "requests", what };
  }
  return null;
}

function limitText(kind: string, { limit, remaining, reset }: Limit): string {
  const of = limit === undefined ? "" : ` of ${limit}`;
  const left = remaining === undefined ? `limited to ${limit ?? "?"}` : `${remaining}${of} left`;
  const when = reset === undefined ? "" : /^\d{4}-/.test(reset) ? ` until ${reset}` : `, anew in ${withUnit(reset)}`;
  return `${kind} ${left}${when}`;
}

/** Some say `6m0s`, some a bare number of seconds. */
function withUnit(reset: string): string {
  return /^\d+(?:\.\d+)?$/.test(reset) ? `${reset}s` : reset;
}
