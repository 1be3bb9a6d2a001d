import { sane, shareText, spanText, tokensText, usdText } from "./chart-scale.ts";
import { apart, lineText } from "./chart-text.ts";
import { lastPart } from "./figures.ts";
import type { Finding, Part, SessionAudit, Sums } from "./report.ts";

/** What shares are of. Where a session has no price, tokens stand in for the bill. */
export type Basis = "usd" | "tokens";

export function sharesOf(parts: readonly Part[], basis: Basis): readonly Part[] {
  const paid = (part: Part) => sane(basis === "usd" ? part.paidUsd : part.paidTokens);
  const all = parts.reduce((sum, part) => sum + paid(part), 0);
  return parts.map((part) => ({ ...part, share: all === 0 ? 0 : (100 * paid(part)) / all }));
}

/** `3 sessions`, `1 session`. */
export function countText(count: number, one: string): string {
  return `${sane(count).toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;
}

export function callsText({ calls, callsUnknown }: Sums): string {
  const unknown = callsUnknown === 0 || callsUnknown === calls ? "" : ` (${callsUnknown} without a reported prompt)`;
  return `${countText(calls, "call")}${unknown}`;
}

/** The project's folder and the beginning of the session's id: what a person knows it by. */
export function nameOf({ cwd, session, file }: SessionAudit): string {
  const id = lineText(session ?? lastPart(file)).replace(/\.(jsonl?|ndjson|traj)$/, "");
  const project = lineText(lastPart(cwd ?? ""));
  const short = /^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(id) ? id.slice(0, 8) : id;
  return project === "" ? apart(short) : `${apart(project)} · ${apart(short)}`;
}

export function factsText(session: SessionAudit): string {
  const { format, models, lanes, lanesLeftOut, money } = session;
  const others = Math.max(0, lanes.length - 1 + lanesLeftOut);
  const names = models.slice(0, 3).map((model) => apart(lineText(model)));
  return [
    format,
    names.length === 0 ? "model unknown" : names.join(", ") + (models.length > 3 ? ", …" : ""),
    spanText(session.firstAt, session.lastAt),
    callsText(session),
    money.usd === null ? "cost unknown" : usdText(money.usd),
    ...(others === 0 ? [] : [`${countText(others, "sub-agent")} in the sums, not in the picture`]),
  ].join(" · ");
}

/** One sentence: what weighs most, what was lost, and what nobody reported. */
export function readingText(session: SessionAudit, weights: readonly Weight[], basis: Basis): string {
  const { calls, findings, usageKnown } = session;
  if (calls === 0) return "No model call is recorded in this session: there is nothing to draw.";
  const said = [
    usageKnown === "all" || usageKnown === "partly" ? "" : "sizes are estimated, for no prompt was reported",
    weightText(weights, basis),
    costText(findings.compactions, "compaction"),
    costText(findings.coldTurns, "cold turn"),
  ].filter((text) => text !== "");
  return said.length === 0 ? "Nothing stands out." : `${said.join("; ")}.`.replace(/^./, (sign) => sign.toUpperCase());
}

type Weight = { readonly label: string; readonly share: number | null };

/** The two parts that cost most: a head that comes first is not all there is to say. */
function weightText(weights: readonly Weight[], basis: Basis): string {
  const largest = weights.toSorted((a, b) => sane(b.share) - sane(a.share)).slice(0, 2);
  const texts = largest.flatMap(({ label, share }) => (sane(share) > 0 ? [`${label} ${shareText(sane(share))}`] : []));
  return texts.length === 0 ? "" : `${largestNames[basis]}: ${texts.join(", ")}`;
}

const largestNames: Readonly<Record<Basis, string>> = {
  usd: "largest on the bill",
  tokens: "most tokens",
};

function costText({ count, usd, tokens }: Finding, what: string): string {
  if (count === 0) return "";
  const cost = usd === null || usd <= 0 ? `took ${tokensText(tokens)} tokens` : `cost ${usdText(usd)}`;
  return `${smallNumber(count)} ${what}${count === 1 ? "" : "s"} ${cost}`;
}

function smallNumber(count: number): string {
  return ["no", "one", "two", "three", "four", "five", "six"][count] ?? count.toLocaleString("en-US");
}
