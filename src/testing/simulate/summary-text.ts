import type { SummaryAsk } from "./summary-request.ts";
import type { SummaryCall, SummaryView } from "./summary-view.ts";
import { countTokens } from "./tokens.ts";
import { listOf, recordOf, textOf } from "./value.ts";

/** The lines of a section, oldest first. */
type Section = (view: SummaryView) => readonly string[];

/**
 * What a careful model would write: under each heading what the request shows of it, newest last, what a former summary had
 * under the same heading before it. Where there is too much, the oldest lines go.
 */
export function goodSummary(ask: SummaryAsk, view: SummaryView, headings = ask.headings): string {
  // Clients count otherwise than we do; half of what is allowed is below any count.
  const roomTokens = ask.tokensMax / 2;
  const all = headings.map((heading, at) => ({
    heading,
    lines: [...new Set([...formerLines(view, ask.headings[at] ?? heading), ...(sections[at] ?? nothing)(view)])],
  }));
  for (let linesMax = 40; ; linesMax = Math.floor(linesMax * 0.8)) {
    const text = all.map(({ heading, lines }) => sectionText(heading, lines, linesMax)).join("\n\n");
    if (linesMax === 0 || countTokens(text) <= roomTokens) return framed(text);
  }
}

/** Between the marks that were asked for; what is quoted cannot end it. */
export function framed(text: string): string {
  return `<summary>\n${text.replace(/<(?=\/?summary)/g, "(")}\n</summary>`;
}

/** One line of at most so many characters, none of them half. */
export function brief(text: string, charsMax = 240): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= charsMax
    ? line
    : `${line
        .slice(0, charsMax)
        .toWellFormed()
        .replace(/\uFFFD$/, "")} ...`;
}

function sectionText(heading: string, lines: readonly string[], linesMax: number): string {
  const kept = linesMax === 0 ? [] : lines.slice(-linesMax);
  return [heading, ...(kept.length === 0 ? ["-"] : kept.map((line) => `- ${line}`))].join("\n");
}

/** What stood under a heading in the former summary, if the request still shows one. */
function formerLines(view: SummaryView, heading: string): readonly string[] {
  const text = view.framed.findLast((one) => one.split("\n").includes(heading)) ?? "";
  const lines = text.split("\n");
  const from = lines.indexOf(heading) + 1;
  if (from === 0) return [];
  const after = lines.slice(from).findIndex((line) => !/^-( |$)|^\s*$/.test(line));
  return lines.slice(from, after === -1 ? undefined : from + after).flatMap((line) => {
    const said = line.replace(/^- /, "").trim();
    return said === "" || said === "-" ? [] : [said];
  });
}

const nothing: Section = () => [];

/** In the order in which the headings are asked for. */
const sections: readonly Section[] = [
  ({ typed }) => typed.map((text) => `The user asked: ${brief(text)}`),
  ({ typed }) =>
    typed
      .flatMap(sentencesOf)
      .filter((text) => rule.test(text))
      .map((text) => brief(text)),
  ({ said }) =>
    said
      .flatMap(sentencesOf)
      .filter((text) => reason.test(text))
      .map((text) => brief(text)),
  ({ calls }) => newestByName(calls.flatMap(fileOf)),
  ({ calls }) => calls.flatMap(commandOf),
  ({ calls }) => calls.flatMap(errorOf),
  ({ calls }) => [...openTodos(calls), ...calls.filter(({ result }) => result === null).map(unanswered)],
  ({ framed, said }) => [...foldedLines(framed), ...said].slice(-3).map((text) => brief(text)),
  ({ typed }) => typed.slice(-1).map((text) => `The newest request: "${brief(text, 600)}"`),
];

const rule = /\b(must|never|always|do not|don't|only|keep|without)\b|必须|不要|禁止|只能/i;
const reason = /\b(because|decided?|instead|so that|chose)\b|因为|决定/i;
const path = /path|file/i;
const change = /edit|write|patch|replace|create/i;

/** The end of what the client itself put in the place of earlier work. */
function foldedLines(framed: readonly string[]): readonly string[] {
  const block = framed.findLast((text) => /^\s*<[\w-]*(history|summary|fold)/i.test(text)) ?? "";
  return block
    .split("\n")
    .filter((line) => !/^\s*(<|$)/.test(line) && line !== "-")
    .slice(-3);
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+|\n+|(?<=[。！？])/).filter((one) => one.trim() !== "");
}

function fileOf({ tool, input }: SummaryCall): readonly (readonly [string, string])[] {
  return Object.entries(input).flatMap(([name, value]) =>
    path.test(name) && typeof value === "string" && value !== ""
      ? [[value, `${brief(value)}: ${change.test(tool) ? "changed" : "read"}`] as const]
      : [],
  );
}

/** A file that was changed once stays named so. */
function newestByName(found: readonly (readonly [string, string])[]): readonly string[] {
  const lines = new Map<string, string>();
  for (const [name, line] of found) {
    const known = lines.get(name);
    lines.delete(name);
    lines.set(name, known?.endsWith(": changed") === true ? known : line);
  }
  return [...lines.values()];
}

function commandOf({ input, result }: SummaryCall): readonly string[] {
  const command = textOf(input.command) || textOf(input.cmd);
  if (command === "") return [];
  const outcome = result === null ? "no outcome" : brief(result.text.trimEnd().split("\n").at(-1) ?? "", 120);
  return [`\`${brief(command)}\`: ${result?.isError === true ? "failed, " : ""}${outcome}`];
}

function errorOf({ tool, result }: SummaryCall): readonly string[] {
  const line = result?.text.split("\n").find((one) => /\b(error|failed|exception|not found)\b/i.test(one));
  if (result === null || (!result.isError && line === undefined)) return [];
  return [`${tool}: ${brief(line ?? result.text, 160)}`];
}

function openTodos(calls: readonly SummaryCall[]): readonly string[] {
  const list = calls.findLast(({ tool }) => /todo|plan/i.test(tool));
  return Object.values(list?.input ?? {})
    .flatMap(listOf)
    .map(recordOf)
    .flatMap((item) => {
      const status = textOf(item.status) || textOf(item.state);
      const text = textOf(item.text) || textOf(item.content) || textOf(item.title) || textOf(item.step);
      return text === "" || /done|complete/i.test(status) ? [] : [`${brief(text)} (${status || "open"})`];
    });
}

function unanswered({ tool, input }: SummaryCall): string {
  return `${tool} ${brief(JSON.stringify(input), 120)} was not answered`;
}
