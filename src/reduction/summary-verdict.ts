import { estimate } from "../budget/count.ts";
import type { StopReason } from "../log/entry.ts";
import type { SummaryOutcome } from "../log/summary.ts";
import { summaryAsks, summaryHeadings } from "./summary-request.ts";
import { summarySections } from "./summary-sections.ts";

export type SummaryAnswer = { readonly text: string; readonly calls: number; readonly stop: StopReason };

export type SummaryLimits = {
  readonly tokensMax: number;
  /** Of what the summary would stand for. */
  readonly replacedTokens: number;
};

export type SummaryVerdict =
  | { readonly outcome: "accepted"; readonly text: string }
  | { readonly outcome: Exclude<SummaryOutcome, "accepted">; readonly detail: string };

/**
 * Whether an answer is a summary that may stand for the work (law 8). It is judged by its form and its size only: what it
 * claims is not believed where code knows better (`summary-items.ts`).
 */
export function judgeSummary(answer: SummaryAnswer, limits: SummaryLimits): SummaryVerdict {
  const { text: whole, calls, stop } = answer;
  if (calls > 0) return refused("tool-call", calls === 1 ? "it called a tool" : `it called ${calls} tools`);
  if (stop === "refusal") return refused("junk", "the model refused");
  const { text, frame } = framed(whole);
  if (whole.includes("<summary-request") || isEcho(text)) return refused("junk", "it repeats the request");
  const isCut = frame === "open" || cutStops.has(stop);
  if (isBlank(text)) return isCut ? refused("truncated", "it ended before anything was said") : emptyOf(whole);
  const fault = faultOf(text, isCut ? "open" : frame);
  if (fault !== null) return fault;
  const used = isCut ? wholeSections(text, frame) : text;
  if (used === null) return refused("truncated", "it broke off, with too few sections whole");
  return sizeFault(used, limits) ?? repetitionFault(used) ?? { outcome: "accepted", text: used };
}

type Frame = "none" | "open" | "closed";

const cutStops: ReadonlySet<StopReason> = new Set(["output-limit", "window-exceeded", "pause"]);

function refused(outcome: Exclude<SummaryOutcome, "accepted">, detail: string): SummaryVerdict {
  return { outcome, detail };
}

function emptyOf(whole: string): SummaryVerdict {
  const said = isBlank(whole) ? "it says nothing" : "nothing is between its tags, or only headings";
  return refused("empty", said);
}

/** What the answer gives as its summary, without what the model thought on the way. */
function framed(whole: string): { readonly text: string; readonly frame: Frame } {
  const text = withoutThoughts(whole);
  const open = /<summary(?:\s[^<>]*)?>/i.exec(text);
  // Where a summary quotes the tag, the last one is its own.
  const close = [...text.matchAll(/<\/summary\s?>/gi)].at(-1)?.index ?? -1;
  const from = open === null || (close >= 0 && open.index > close) ? 0 : open.index + open[0].length;
  if (close >= from) return { text: text.slice(from, close).trim(), frame: from === 0 ? "none" : "closed" };
  return { text: text.slice(from).trim(), frame: open === null ? "none" : "open" };
}

/** Frames for thinking that models know, closed ones; of one that stays open the rest is thought, unless a summary begins. */
function withoutThoughts(whole: string): string {
  let text = whole;
  for (const name of thoughtNames) {
    text = withoutFrames(text, name);
  }
  const open = openThought.exec(text);
  if (open === null || /<summary[\s>]/i.test(text)) return text;
  return text.slice(0, open.index);
}

const thoughtNames = ["analysis", "thinking", "think", "thoughts", "reasoning", "scratchpad"] as const;
const openThought = new RegExp(`<(?:${thoughtNames.join("|")})>`, "i");

function withoutFrames(text: string, name: string): string {
  const [open, close] = [new RegExp(`<${name}>`, "gi"), new RegExp(`</${name}>`, "gi")];
  let left = "";
  let from = 0;
  for (;;) {
    open.lastIndex = from;
    const start = open.exec(text)?.index;
    close.lastIndex = start ?? text.length;
    const end = close.exec(text);
    if (start === undefined || end === null) return left + text.slice(from);
    left += text.slice(from, start);
    from = end.index + end[0].length;
  }
}

/** Nothing but headings, marks and words that say there is nothing. */
function isBlank(text: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return true;
  const sections = summarySections(text);
  if (sections.length < 2) return nothingWords.has(bare(text));
  const first = text.indexOf(sections[0]?.heading ?? "");
  const said = [text.slice(0, first), ...sections.map(({ heading, body }) => `${behindColon(heading)}\n${body}`)];
  return said
    .join("\n")
    .split("\n")
    .every((line) => nothingWords.has(bare(line)));
}

function behindColon(heading: string): string {
  return /[:：](.*)$/s.exec(heading)?.[1] ?? "";
}

function bare(line: string): string {
  return line
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const nothingWords: ReadonlySet<string> = new Set([
  ...["", "none", "n a", "na", "nothing", "no", "null", "empty", "tbd", "todo", "unknown", "not applicable", "nil"],
  ...[
    "无",
    "暂无",
    "没有",
    "未知",
    "なし",
    "特になし",
    "없음",
    "нет",
    "keine",
    "nichts",
    "aucun",
    "aucune",
    "ninguno",
    "nada",
  ],
]);
const asked: ReadonlySet<string> = new Set(summaryAsks.map(bare));

/** What is no summary by its words. One that has half of the sections is one, however it begins. */
function faultOf(text: string, frame: Frame): SummaryVerdict | null {
  const sections = summarySections(text).length;
  if (sections * 2 >= summaryHeadings.length) return null;
  if (/<(?:tool_call|function_calls?|invoke|tool_use)\b/i.test(text))
    return refused("tool-call", "it wrote a tool call as text");
  const start = text.slice(0, startChars);
  if (errorStart.test(start)) return refused("junk", "it is the text of an error");
  if (refusalStart.test(start)) return refused("junk", "it declines");
  if (frame === "none") return refused("junk", "it has neither the tags nor half of the sections");
  return estimate(text) < tokensMin ? refused("junk", "it is too short to be a summary") : null;
}

const tokensMin = 5;
const startChars = 300;

function isEcho(text: string): boolean {
  const lines = text.split("\n").filter((line) => bare(line) !== "");
  const echoed = lines.filter((line) => asked.has(bare(behindColon(line))) || asked.has(bare(line)));
  return echoed.length * 2 > summaryHeadings.length;
}

const errorStart = new RegExp(
  `^\\W{0,20}(?:${[
    String.raw`(?:\w+[\s_.-]){0,3}(?:\w*error|\w*exception)\b(?:\W{0,3}[:({\d]|\s+(?:code|while|occurred|during)\b|\W*$)`,
    String.raw`(?:http[\s/\d.]*|status\W*(?:code)?\W*)[45]\d\d\b`,
    String.raw`[45]\d\d\s+(?:internal|bad|service|gateway|too many|payload|request|forbidden|unauthorized|not found|overloaded)`,
    String.raw`(?:overloaded|service unavailable|bad gateway|too many requests|timed out|traceback)\b`,
    String.raw`rate[\s_-]limit(?:ed|\s+(?:exceeded|reached|error))`,
    String.raw`(?:prompt is too long|request failed|context[\s_]length[\s_]exceeded)`,
    String.raw`(?:type|message)\W{1,6}(?:\w*error|overloaded)`,
    String.raw`(?:!doctype|html)\b[^<]{0,200}>`,
  ].join("|")})`,
  "i",
);
const refusalStart =
  /^\W{0,20}(?:(?:i['’]?m|i am) (?:sorry|unable|not able)|sorry\b|i (?:can(?:['’]t|not)|won['’]t|will not)|as an ai\b|unfortunately,? i\b|抱歉|对不起|對不起|我无法|我無法|很遗憾|申し訳|すみません|죄송)/i;

/** Of an answer that broke off: its whole sections, if hardly more than the end is missing. */
function wholeSections(text: string, frame: Frame): string | null {
  const sections = summarySections(text);
  if (frame === "closed") return sections.length < wholeMin ? null : text;
  const last = sections.at(-1);
  if (last === undefined || sections.length <= wholeMin) return null;
  const end = text.lastIndexOf(`\n${last.heading}`);
  return `${text.slice(0, end).trim()}\n\n${cutNote}`;
}

/** Up to what is open: without that section an answer cut short is worth less than another try. */
const wholeMin = 7;
const cutNote = "[The summary broke off here; the sections that should follow are missing.]";

function sizeFault(text: string, { tokensMax, replacedTokens }: SummaryLimits): SummaryVerdict | null {
  const tokens = estimate(text);
  if (tokens >= replacedTokens)
    return refused("larger", `${tokens} tokens, and what it would stand for has ${replacedTokens}`);
  if (tokens > tokensMax * overShareMax) return refused("larger", `${tokens} tokens, and ${tokensMax} were asked for`);
  return null;
}

const overShareMax = 1.5;

/** A model that says the same again and again: by runs of characters, since not every language has words with spaces. */
function repetitionFault(text: string): SummaryVerdict | null {
  const looked = text.slice(0, lookedCharsMax).replaceAll(/\s+/g, " ");
  const runs = looked.length - runChars + 1;
  if (runs < runsMin) return null;
  const distinct = new Set(Array.from({ length: runs }, (_, at) => looked.slice(at, at + runChars)));
  return distinct.size < runs * distinctShareMin ? refused("junk", "it repeats itself") : null;
}

const lookedCharsMax = 40_000;
const runChars = 8;
const runsMin = 60;
const distinctShareMin = 0.25;
