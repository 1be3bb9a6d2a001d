import { isRecord } from "../src/kernel/canonical.ts";
import { at, type Part, rowsOf } from "./results-file.ts";

/** `docs/results.md` from the parts of `docs/results.json`: every figure beside the command that printed it. */
export function resultsPage(parts: readonly Part[]): string {
  const found = (id: string) => parts.find((part) => part.id === id);
  const sections = [
    replaySection("The recorded sessions", "replay", parts),
    replaySection("Our own small sessions", "own-replay", parts),
    section("First forms of recorded outputs", found("digest"), digestTables),
    section("First forms of our own outputs", found("own-digest"), digestTables),
    section("Estimates on recorded sessions", found("estimate"), estimateTables),
    section("Estimates on our own data", found("own-estimate"), estimateTables),
    section("Time of a step", found("steps"), stepsTables),
    section("Start", found("startup"), startupTables),
  ];
  return [intro, ...sections.filter((text) => text !== null)].join("\n");
}

const intro = `# Results

Written by \`npm run -s bench -- results --data DIR\` from \`docs/results.json\`, and by nobody else; a test holds the two together.
\`DIR\` is a folder laid out as \`bench/data\` is. Without \`--data\` each bench runs on the small data in \`bench/data\`, which anybody can
repeat. Percent unless said otherwise. No provider was called: costs of a replay are computed from recorded sessions, and what is
marked *simulated* was measured against the simulator. Times are of a busy machine with two cores: only ratios within one table mean anything.
`;

type Tables = (result: Readonly<Record<string, unknown>>) => string;

function section(title: string, part: Part | undefined, tables: Tables): string | null {
  return part === undefined ? null : `## ${title}\n\n${source([part])}\n\n${tables(part.result)}`;
}

function source(parts: readonly Part[]): string {
  const [first] = parts;
  const simulated = parts.some(({ result }) => result.simulated === true) ? " Simulated." : "";
  const commands = parts.map(({ command }) => `\`${command}\``).join(", ");
  return `${commands} (${first?.date}, version ${first?.version}).${simulated}`;
}

/** One table for all price points: the rules cost differently, what they show hardly changes. */
function replaySection(title: string, id: string, all: readonly Part[]): string | null {
  const parts = all.filter((part) => part.id.startsWith(`${id}-`));
  const [first] = parts;
  if (first === undefined) return null;
  const { sessions, calls, tokens, lifetimes } = first.result;
  const names = rowsOf(first.result, "strategies").map(({ name }) => String(name));
  const row = (part: Part, name: string) => rowsOf(part.result, "strategies").find((one) => one.name === name);
  const prices = parts.map(({ result }) => `net cost at ${shown(result.read)}`);
  const rows = names.map((name) => {
    const own = row(first, name);
    const plain = replayColumns.map(({ value }) => shown(value(own)));
    return [`\`${name}\``, ...parts.map((part) => shown(at(row(part, name), "netCost"))), ...plain];
  });
  const facts = `${shown(sessions)} sessions, ${shown(calls)} model calls, tokens ${shown(tokens)}, lifetimes ${shown(lifetimes)}.`;
  const note =
    "Net cost in percent of append-only, what was taken away and needed later charged; the other columns at the first price.";
  return `## Replay: ${title.toLowerCase()}\n\n${source(parts)}\n\n${facts} ${note}\n\n${table(["strategy", ...prices, ...replayColumns.map(({ name }) => name)], rows)}`;
}

const replayColumns: readonly { readonly name: string; readonly value: (row: unknown) => unknown }[] = [
  { name: "visible", value: (row) => at(row, "visible") },
  { name: "recalled", value: (row) => at(row, "recalled") },
  { name: "lost", value: (row) => at(row, "lost") },
  { name: "extra steps", value: (row) => at(row, "extraSteps") },
  { name: "breaks per 100", value: (row) => at(row, "breaksPer100") },
  { name: "mean peak, tokens", value: (row) => at(row, "meanPeak") },
  { name: "over 200k", value: (row) => at(row, "overflows", "200k") },
  { name: "over head + 32k", value: (row) => at(row, "overflows", "h32k") },
];

function digestTables(result: Readonly<Record<string, unknown>>): string {
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
function estimateTables(result: Readonly<Record<string, unknown>>): string {
  const figures = leaves(result, []).map(({ path, value }) => [path.join(", "), shown(value)]);
  return table(["figure", "value"], figures);
}

type Leaf = { readonly path: readonly string[]; readonly value: unknown };

function leaves(value: unknown, path: readonly string[]): readonly Leaf[] {
  if (Array.isArray(value)) return [];
  if (!isRecord(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]));
}

function stepsTables(result: Readonly<Record<string, unknown>>): string {
  const rows = rowsOf(result, "entries").map((row) => [
    shown(row.n),
    shown(at(row, "stepMs", "p50")),
    shown(at(row, "stepMs", "p95")),
    shown(row.rssMb),
  ]);
  const ratio = `The largest log by the smallest, median: ${shown(result.largestToSmallestP50)}.`;
  return `${table(["entries in the log", "step, median ms", "step, p95 ms", "memory, MB"], rows)}\n\n${ratio}\n`;
}

function startupTables(result: Readonly<Record<string, unknown>>): string {
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function shown(value: unknown): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
  return value === undefined || value === null ? "" : String(value);
}
