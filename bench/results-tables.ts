import { isRecord } from "../src/kernel/canonical.ts";
import { at, rowsOf } from "./results-file.ts";

export function digestTables(result: Readonly<Record<string, unknown>>): string {
  const names = ["needed", "kept", "chars", "headTail", "wrong", "failingTests", "errorLines", "places", "exitCodes"];
  const titles =
    "needed strings|kept|characters|head + tail kept|wrong answers|failing tests|error lines|places|exit codes";
  const whole = table(["outputs", ...titles.split("|")], [["outputs", ...names].map((name) => shown(result[name]))]);
  const classes = rowsOf(result, "classes").map((row) =>
    ["cls", "outputs", "needed", "kept", "headTail", "chars"].map((key) => shown(row[key])),
  );
  const types = rowsOf(result, "types").map((row) =>
    ["type", "outputs", "asked", "answered", "wrong"].map((key) => shown(row[key])),
  );
  const speed = rowsOf(result, "speed").map((row) =>
    ["type", "ratio", "against", "growth"].map((key) => shown(row[key])),
  );
  return [
    whole,
    "A needed string counts only inside its whole line. Classes weigh the same; one without needed strings is scored by the questions that its first forms still answer.",
    table(["class", "outputs", "needed", "kept", "head + tail", "characters"], classes),
    table(["type", "outputs", "questions asked", "answered", "wrong"], types),
    "Speed: the time of the yardstick by ours; growth is what twice the text takes, 2 being linear.",
    table(["type", "speed", "yardstick", "growth"], speed),
  ].join("\n\n");
}

/** Whatever figures the bench prints, each under its path: they are many and change. */
export function estimateTables(result: Readonly<Record<string, unknown>>): string {
  const figures = leaves(result, []).map(({ path, value }) => [path.join(", "), shown(value)]);
  return table(["figure", "value"], figures);
}

type Leaf = { readonly path: readonly string[]; readonly value: unknown };

function leaves(value: unknown, path: readonly string[]): readonly Leaf[] {
  if (Array.isArray(value)) return [];
  if (!isRecord(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]));
}

export function stepsTables(result: Readonly<Record<string, unknown>>): string {
  const rows = rowsOf(result, "entries").map((row) => [
    shown(row.n),
    shown(at(row, "stepMs", "p50")),
    shown(at(row, "stepMs", "p95")),
    shown(row.rssMb),
  ]);
  const ratio = `The largest log by the smallest, median: ${shown(result.largestToSmallestP50)}.`;
  return `${table(["entries in the log", "step, median ms", "step, p95 ms", "memory, MB"], rows)}\n\n${ratio}\n`;
}

export function startupTables(result: Readonly<Record<string, unknown>>): string {
  const commands = rowsOf(result, "commands");
  const node = Number(commands[0]?.wallMs);
  const rows = commands.map(({ name, version, firstRequestMs, wallMs }) => [
    `\`${shown(name)}\``,
    shown(version),
    typeof firstRequestMs === "number" ? shown(firstRequestMs / node) : "",
    typeof wallMs === "number" ? shown(wallMs / node) : "",
  ]);
  const notes = Array.isArray(result.notes) ? result.notes.map((note) => `- ${shown(note)}`) : [];
  const scale = `In multiples of \`node -e 0\` (${shown(Math.round(node))} ms in this run).`;
  const head = ["command", "version", "to the first request", "to the end"];
  return [scale, table(head, rows), ...(notes.length === 0 ? [] : [notes.join("\n")])].join("\n\n");
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export function shown(value: unknown): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
  return value === undefined || value === null ? "" : String(value);
}
