import { fitted, inColumns, wrapped } from "../ledger/columns.ts";
import { dayText, tokensText as roundedText } from "./chart-scale.ts";
import { lastPart, missCauses, plural, sharesText, tokensText, usdText } from "./figures.ts";
import type { Advice, AuditReport, AuditTotals, Example, Finding, Part, SessionAudit } from "./report.ts";

export type TextOptions = {
  readonly width: number;
  readonly color: boolean;
  /** Rows of each list. */
  readonly top?: number;
};

/** The report for a terminal: what there was, what it cost, what could be spared, and at the end what to do. */
export function auditText(report: AuditReport, options: TextOptions): string {
  const width = Math.max(widthMin, Math.min(options.width, widthMax));
  const page: Page = {
    width,
    top: Math.max(1, options.top ?? topDefault),
    bold: options.color ? (text) => `\u001b[1m${text}\u001b[0m` : (text) => text,
  };
  const sections = [
    headLines(report, page),
    sessionLines(report, page),
    partLines(report.totals, page),
    findingLines(report.totals, page),
    largestLines(report.totals, page),
    skippedLines(report, page),
    varveLines(report, page),
    adviceLines(report, page),
  ];
  const lines = sections.filter((section) => section.length > 0).flatMap((section) => [...section, ""]);
  return `${lines.slice(0, -1).join("\n")}\n`;
}

type Page = { readonly width: number; readonly top: number; readonly bold: (text: string) => string };

const widthMin = 36;
const widthMax = 100;
/** Below it numbers are rounded: `~18.1M`. */
const widthOfWholeNumbers = 72;
/** Below it there is no room for shares. */
const widthOfShares = 48;
const topDefault = 10;

function headLines({ totals, partial, warnings }: AuditReport, { width, bold }: Page): readonly string[] {
  const { firstAt, lastAt } = totals;
  const span = firstAt === null || lastAt === null ? "" : `, ${dayText(firstAt)} to ${dayText(lastAt)}`;
  const title = `${plural(totals.sessions, "session")}, ${plural(totals.calls, "model call")}${span}`;
  const none = warnings === 0 ? "no session was found" : "no session could be read";
  return [
    ...(partial ? [bold("PARTIAL: reading was interrupted; this is what was read so far.")] : []),
    ...wrapped(totals.sessions === 0 ? none : title, width).map(bold),
    ...(totals.sessions === 0 ? [] : totalSentences(totals).flatMap((sentence) => wrapped(sentence, width))),
  ];
}

function totalSentences(totals: AuditTotals): readonly string[] {
  const { promptTokens, estimatedPromptTokens, usage, money, callsCopied } = totals;
  const uncached =
    money.uncachedUsd === null ? "" : `; without a cache it would have been ${usdText(money.uncachedUsd)}`;
  const read =
    promptTokens === 0 ? "" : `, ${sharesText((usage.cacheRead / promptTokens) * 100)} of them read from the cache`;
  return [
    `cost: ${moneySentence(totals)}${uncached}`,
    `${tokensText(promptTokens)} prompt tokens${read}; ${tokensText(usage.output)} tokens of answers`,
    ...(estimatedPromptTokens === 0
      ? []
      : [`about ${tokensText(estimatedPromptTokens)} prompt tokens more were not reported`]),
    ...(callsCopied === 0 ? [] : [`${tokensText(callsCopied)} calls stand in several files and count once`]),
    totals.usageNote,
  ];
}

function moneySentence({ money }: AuditTotals): string {
  const models =
    money.unpricedModels.length === 0 ? "" : ` (no price is known for ${money.unpricedModels.slice(0, 5).join(", ")})`;
  if (money.usd === null) return `unknown${models}`;
  const share =
    money.pricedShare >= 100
      ? ""
      : ` for the ${sharesText(money.pricedShare)} of the tokens that have a price${models}`;
  return `${usdText(money.usd)}${share}`;
}

function sessionLines({ sessions }: AuditReport, page: Page): readonly string[] {
  if (sessions.length < 2) return [];
  const rows = sessions.slice(0, page.top).map((session) => row(sessionName(session), session, page));
  const more = sessions.length > rows.length ? [`  and ${tokensText(sessions.length - rows.length)} smaller ones`] : [];
  return [header("Sessions", page), ...rows, ...more];
}

function sessionName({ format, calls, callsCopied, file, cwd, firstAt }: SessionAudit): string {
  const day = firstAt === null ? "" : ` ${dayText(firstAt)}`;
  const folder = cwd === null ? "" : lastPart(cwd);
  const copy = calls > 0 && callsCopied === calls ? " (a copy)" : "";
  return `${format}${day}, ${plural(calls, "call")}${copy}, ${folder === "" ? lastPart(file) : folder}`;
}

function row(name: string, { promptTokens, estimatedPromptTokens, usage, money }: SessionAudit, page: Page): string {
  const tokens = promptTokens + estimatedPromptTokens + usage.output;
  return columns(name, sized(tokens, estimatedPromptTokens > 0, page), null, usdText(money.usd), page);
}

function partLines({ parts }: AuditTotals, page: Page): readonly string[] {
  if (parts.length === 0) return [];
  const rows = parts
    .slice(0, page.top)
    .map((part) => columns(part.label, partTokens(part, page), sharesText(part.share), usdText(part.paidUsd), page));
  const rest = parts.slice(page.top);
  const sum = rest.reduce((tokens, { paidTokens }) => tokens + paidTokens, 0);
  const usd = rest.some(({ paidUsd }) => paidUsd === null)
    ? null
    : rest.reduce((whole, { paidUsd }) => whole + (paidUsd ?? 0), 0);
  const more =
    rest.length === 0
      ? []
      : [columns(plural(rest.length, "smaller part"), sized(sum, true, page), "", usdText(usd), page)];
  return [header("What was paid for, over all calls", page, "share"), ...rows, ...more];
}

function partTokens({ category, paidTokens }: Part, page: Page): string {
  return sized(paidTokens, category !== "output", page);
}

function findingLines({ findings }: AuditTotals, page: Page): readonly string[] {
  const { misses, compactions, coldTurns } = findings;
  const named: readonly (readonly [name: string, found: Finding])[] = [
    ["files read again unchanged", findings.rereadsUnchanged],
    ["files read again, other text", findings.rereadsChanged],
    ["same calls, equal results", findings.repeatedCalls],
    ["equal results of other calls", findings.repeatedResults],
    ["failed calls", findings.failedCalls],
    ["images", findings.images],
    ["tools declared, never called", findings.unusedTools],
    ["compactions (prompts after them)", compactions],
    ["came again after compactions", compactions.reread],
    ["cold turns (written again)", coldTurns],
    ...misses
      .filter(({ cause }) => cause !== "expired")
      .map((miss) => [`cache misses: ${missCauses[miss.cause]}`, miss] as const),
  ];
  const rows = named
    .filter(([, { count }]) => count > 0)
    .toSorted(([, a], [, b]) => (b.usd ?? 0) - (a.usd ?? 0) || b.paidTokens - a.paidTokens);
  if (rows.length === 0) return [];
  return [
    header("What stands out", page, "times"),
    ...rows.map(([name, { count, paidTokens, usd }]) =>
      columns(name, sized(paidTokens, true, page), tokensText(count), usdText(usd), page),
    ),
  ];
}

function largestLines({ findings }: AuditTotals, page: Page): readonly string[] {
  const shown = findings.largestResults.slice(0, page.top);
  if (shown.length === 0) return [];
  return [
    header("Largest results, by tokens times calls", page),
    ...shown.flatMap((example) => exampleLines(example, page)),
  ];
}

function exampleLines(example: Example, page: Page): readonly string[] {
  const name = `${example.tool ?? ""} ${example.what}`.trim();
  const [start, end] = [`    ${tokensText(example.tokens)} tokens at `, `:${example.line}`];
  return [
    columns(name, sized(example.paidTokens, true, page), null, usdText(example.usd), page),
    `${start}${fitted(lastPart(example.file), page.width - start.length - end.length)}${end}`,
  ];
}

function skippedLines({ skipped, warnings }: AuditReport, { width, bold, top }: Page): readonly string[] {
  if (warnings === 0) return [];
  const rows = skipped.slice(0, top).map(({ file, why }) => fitted(`  ${lastPart(file)}: ${why}`, width));
  const more = skipped.length > rows.length ? [`  and ${tokensText(skipped.length - rows.length)} more`] : [];
  const rest = warnings - skipped.length;
  const lines = rest === 0 ? [] : [`  ${plural(rest, "file")} more that could be read in part`];
  return [bold(`${plural(warnings, "warning")}: not read, or in part`), ...rows, ...more, ...lines];
}

function varveLines({ varve }: AuditReport, { width, bold }: Page): readonly string[] {
  if (varve === null) return [];
  const { netCost, low, high, sessions, note } = varve;
  const change = netCost <= 100 ? `${figure(100 - netCost)} % less` : `${figure(netCost - 100)} % more`;
  const sentence = `Replayed with Varve's reductions ${plural(sessions, "session")} would have cost about ${change} (between ${figure(low)} and ${figure(high)} % of what was paid). ${note}`;
  return [bold("With Varve"), ...wrapped(sentence, width)];
}

function adviceLines({ advice, totals }: AuditReport, page: Page): readonly string[] {
  if (advice.length === 0) return [];
  const title = `Advice, largest first; blocks may overlap (shares of ${totals.basis === "usd" ? "the money" : "the tokens"})`;
  return [
    page.bold(fitted(title, page.width)),
    ...advice.slice(0, page.top).flatMap((one, at) => adviceText(one, at, page)),
  ];
}

function adviceText(
  { what, tokens, usd, share, why, todo, feature }: Advice,
  at: number,
  page: Page,
): readonly string[] {
  const size = usd === null ? `about ${tokensText(tokens)} tokens` : `about ${usdText(usd)}`;
  const indent = " ".repeat(indentColumns);
  const block = (text: string): readonly string[] =>
    wrapped(text, page.width - indentColumns).map((line) => indent + line);
  const title = wrapped(`${what}: ${size}, ${sharesText(share)}`, page.width - indentColumns);
  return [
    ...title.map((line, n) => page.bold(`${n === 0 ? `${at + 1}.`.padEnd(indentColumns) : indent}${line}`)),
    ...block(`${why}.`),
    ...block(`Do: ${todo}.`),
    ...(feature === null ? [] : block(`In Varve: ${feature}.`)),
  ];
}

const indentColumns = 4;

function header(title: string, page: Page, share: string | null = null): string {
  return page.bold(columns(title, "tokens", share, "money", page, ""));
}

const moneyColumns = 11;
const shareColumns = 8;

function columns(
  name: string,
  tokens: string,
  share: string | null,
  money: string,
  { width }: Page,
  indent = "  ",
): string {
  const isShareShown = share !== null && width >= widthOfShares;
  const figures = (isShareShown ? share.padStart(shareColumns) : "") + money.padStart(moneyColumns);
  const room = width - figures.length - Math.max(width < widthOfWholeNumbers ? 9 : 20, tokens.length + 1);
  return inColumns(indent + name, room) + tokens.padStart(width - figures.length - room) + figures;
}

/** `about 18,135,530`, where there is no room `~18.1M`. */
function sized(tokens: number, isAbout: boolean, { width }: Page): string {
  if (width >= widthOfWholeNumbers) return `${isAbout ? "about " : ""}${tokensText(tokens)}`;
  return `${isAbout ? "~" : ""}${roundedText(tokens)}`;
}

function figure(percent: number): string {
  return (Math.round(percent * 10) / 10).toLocaleString("en-US");
}
