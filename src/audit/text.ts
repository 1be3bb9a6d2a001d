import { fitted, inColumns, wrapped } from "../ledger/columns.ts";
import { dayText, sharesText, tokensText, usdText } from "./figures.ts";
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

const widthMin = 60;
const widthMax = 100;
const topDefault = 10;

function headLines({ totals, partial }: AuditReport, { width, bold }: Page): readonly string[] {
  const { promptTokens, estimatedPromptTokens, usage, money, firstAt, lastAt } = totals;
  const span = firstAt === null || lastAt === null ? "" : `, ${dayText(firstAt)} to ${dayText(lastAt)}`;
  const copied =
    totals.callsCopied === 0 ? [] : [`${tokensText(totals.callsCopied)} calls stand in several files and count once`];
  const read =
    promptTokens === 0 ? "" : `, ${sharesText((usage.cacheRead / promptTokens) * 100)} of them read from the cache`;
  const estimated =
    estimatedPromptTokens === 0
      ? []
      : [`about ${tokensText(estimatedPromptTokens)} prompt tokens more were not reported`];
  const sentences = [
    `${tokensText(promptTokens)} prompt tokens${read}; ${tokensText(usage.output)} tokens of answers`,
    ...estimated,
    moneySentence(totals),
    ...(money.uncachedUsd === null
      ? []
      : [`without a cache the same calls would have cost ${usdText(money.uncachedUsd)}`]),
    ...copied,
    totals.usageNote,
  ];
  return [
    ...(partial ? [bold("PARTIAL: reading was interrupted; this is what was read so far.")] : []),
    bold(fitted(`${plural(totals.sessions, "session")}, ${plural(totals.calls, "model call")}${span}`, width)),
    ...sentences.flatMap((sentence) => wrapped(sentence, width)),
  ];
}

function moneySentence({ money }: AuditTotals): string {
  const models =
    money.unpricedModels.length === 0 ? "" : ` (no price is known for ${money.unpricedModels.slice(0, 5).join(", ")})`;
  if (money.usd === null) return `money is unknown${models}`;
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

function sessionName({ format, calls, file, cwd, firstAt }: SessionAudit): string {
  const day = firstAt === null ? "" : ` ${dayText(firstAt)}`;
  const folder = cwd === null ? "" : fileEnd(cwd);
  return `${format}${day} ${folder === "" ? fileEnd(file) : folder}, ${plural(calls, "call")}`;
}

function row(name: string, { promptTokens, estimatedPromptTokens, usage, money }: SessionAudit, page: Page): string {
  const about = estimatedPromptTokens > 0 ? "about " : "";
  return columns(
    name,
    `${about}${tokensText(promptTokens + estimatedPromptTokens + usage.output)}`,
    "",
    usdText(money.usd),
    page,
  );
}

function partLines({ parts }: AuditTotals, page: Page): readonly string[] {
  if (parts.length === 0) return [];
  const rows = parts
    .slice(0, page.top)
    .map((part) => columns(part.label, partTokens(part), sharesText(part.share), usdText(part.paidUsd), page));
  const rest = parts.slice(page.top);
  const sum = rest.reduce((tokens, { paidTokens }) => tokens + paidTokens, 0);
  const usd = rest.some(({ paidUsd }) => paidUsd === null)
    ? null
    : rest.reduce((whole, { paidUsd }) => whole + (paidUsd ?? 0), 0);
  const more =
    rest.length === 0
      ? []
      : [columns(`${rest.length} smaller parts`, `about ${tokensText(sum)}`, "", usdText(usd), page)];
  return [header("What was paid for, over all calls", page, "share"), ...rows, ...more];
}

function partTokens({ category, paidTokens }: Part): string {
  return category === "output" ? tokensText(paidTokens) : `about ${tokensText(paidTokens)}`;
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
    ...misses.filter(({ cause }) => cause !== "expired").map((miss) => [`cache miss: ${miss.cause}`, miss] as const),
  ];
  const rows = named.filter(([, { count }]) => count > 0);
  if (rows.length === 0) return [];
  return [
    header("Found", page),
    ...rows.map(([name, { count, paidTokens, usd }]) =>
      columns(`${name}: ${tokensText(count)}`, `about ${tokensText(paidTokens)}`, null, usdText(usd), page),
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
  return [
    columns(name, `about ${tokensText(example.paidTokens)}`, null, usdText(example.usd), page),
    fitted(`    ${tokensText(example.tokens)} tokens at ${fileEnd(example.file)}:${example.line}`, page.width),
  ];
}

function skippedLines({ skipped, warnings }: AuditReport, { width, bold, top }: Page): readonly string[] {
  if (warnings === 0) return [];
  const rows = skipped.slice(0, top).map(({ file, why }) => fitted(`  ${fileEnd(file)}: ${why}`, width));
  const more = skipped.length > rows.length ? [`  and ${tokensText(skipped.length - rows.length)} more`] : [];
  const rest = warnings - skipped.length;
  const lines = rest === 0 ? [] : [`  ${plural(rest, "file")} more that could be read in part`];
  return [bold(plural(warnings, "warning")), ...rows, ...more, ...lines];
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

const tokensColumns = 20;
const shareColumns = 8;
const moneyColumns = 11;

function columns(
  name: string,
  tokens: string,
  share: string | null,
  money: string,
  { width }: Page,
  indent = "  ",
): string {
  const figures = (share === null ? "" : share.padStart(shareColumns)) + money.padStart(moneyColumns);
  const room = width - figures.length - Math.max(tokensColumns, tokens.length + 1);
  return inColumns(indent + name, room) + tokens.padStart(width - figures.length - room) + figures;
}

function fileEnd(file: string): string {
  return file.split(/[/\\]/).at(-1) ?? file;
}

function plural(count: number, name: string): string {
  return `${tokensText(count)} ${name}${count === 1 ? "" : "s"}`;
}

function figure(percent: number): string {
  return (Math.round(percent * 10) / 10).toLocaleString("en-US");
}
