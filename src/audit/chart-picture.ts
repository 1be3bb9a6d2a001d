import type { BarKind, BarRow, Bars, Picture } from "./chart.ts";
import { panelOf } from "./chart-panel.ts";
import { daysText, sane, tokensText, usdText } from "./chart-scale.ts";
import { callsText, countText, nameOf } from "./chart-words.ts";
import type { AuditReport, Category, Part, SessionAudit } from "./report.ts";

export type PictureOptions = {
  /** Sessions drawn call by call, the largest ones. Default 6. */
  readonly panelsMax?: number | undefined;
};

/** What of a report is drawn: the sessions beside each other, then the largest call by call. */
export function pictureOf(report: AuditReport, { panelsMax = 6 }: PictureOptions = {}): Picture {
  const { sessions, totals } = report;
  const drawn = sessions.filter(({ series }) => series !== null).slice(0, panelsMax);
  const shown = drawn.length === 0 ? sessions.slice(0, 1) : drawn;
  return {
    title: "What fills the context window",
    subtitle: [
      countText(totals.sessions, "session"),
      callsText(totals),
      `${tokensText(totals.promptTokens)} tokens of prompts sent`,
      moneyOf(totals),
      daysText(totals.firstAt, totals.lastAt),
    ].join(" · "),
    notes: notesOf(report, shown.length),
    bars: sessions.length < 2 ? null : barsOf(report),
    panels: shown.map((session) => panelOf(session, totals.basis)),
  };
}

function moneyOf({ money }: Pick<AuditReport["totals"], "money">): string {
  if (money.usd === null) return "cost unknown";
  const part = money.pricedShare >= 99.5 ? "" : ` for the ${Math.floor(money.pricedShare)} % that have a known price`;
  return `${usdText(money.usd)}${part}`;
}

function notesOf({ partial, sessions, skipped, totals }: AuditReport, drawn: number): readonly string[] {
  return [
    ...(sessions.length === 0 ? ["No session was found in what was read: there is nothing to draw."] : []),
    ...(partial ? ["PARTIAL: reading was interrupted; what follows is of the files read until then."] : []),
    ...(skipped.length === 0 ? [] : [`${countText(skipped.length, "file")} could not be read and are not in it.`]),
    ...(drawn < sessions.length && drawn > 0
      ? [`Drawn call by call: the ${countText(drawn, "largest session")} of ${sessions.length}.`]
      : []),
    ...(totals.calls === 0
      ? []
      : ["What a prompt is made of is estimated and scaled to the prompt as reported. Times are UTC."]),
  ];
}

const rowsMax = 12;

function barsOf({ sessions, totals }: AuditReport): Bars {
  const unit = totals.basis;
  const rows = sessions.slice(0, rowsMax).map((session) => rowOf(session, unit));
  const rest = sessions.slice(rowsMax);
  if (rest.length === 0) return { unit, rows };
  const sums = rest.map((session) => valuesOf(session, unit)).filter((values) => values !== null);
  const values = sums.reduce((a, b) => mapped((kind) => a[kind] + b[kind]), zero);
  const total = totalText(values, unit);
  return { unit, rows: [...rows, { label: `${countText(rest.length, "other session")}`, detail: total, values }] };
}

function rowOf(session: SessionAudit, unit: Bars["unit"]): BarRow {
  const values = valuesOf(session, unit);
  const size = values === null ? "price unknown" : totalText(values, unit);
  return {
    label: nameOf(session),
    detail: [size, countText(session.calls, "call"), session.format].join(" · "),
    values,
  };
}

type Values = Readonly<Record<BarKind, number>>;

/** Money is only drawn where it is known; what was not reported costs an unknown amount, not nothing. */
function valuesOf({ parts, money }: SessionAudit, unit: Bars["unit"]): Values | null {
  if (unit === "usd" && money.usd === null) return null;
  const paid = (part: Part) => sane(unit === "usd" ? part.paidUsd : part.paidTokens);
  return mapped((kind) => sumOf(parts.filter(({ category }) => kindOf[category] === kind).map(paid)));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function totalText(values: Values, unit: Bars["unit"]): string {
  const total = sumOf(Object.values(values));
  return unit === "usd" ? usdText(total) : `${tokensText(total)} tokens`;
}

function mapped(value: (kind: BarKind) => number): Values {
  return {
    head: value("head"),
    messages: value("messages"),
    answers: value("answers"),
    calls: value("calls"),
    results: value("results"),
    other: value("other"),
    output: value("output"),
  };
}

const zero: Values = mapped(() => 0);

const kindOf: Readonly<Record<Category, BarKind>> = {
  "unlogged-head": "head",
  system: "head",
  tools: "head",
  typed: "messages",
  injected: "messages",
  summaries: "messages",
  assistant: "answers",
  reasoning: "answers",
  calls: "calls",
  results: "results",
  images: "other",
  "not-in-log": "other",
  output: "output",
};
