import { longTables } from "./long-tables.ts";
import { at, type Part, rowsOf } from "./results-file.ts";
import { digestTables, estimateTables, shown, startupTables, stepsTables, table } from "./results-tables.ts";
import { retrievalTables } from "./retrieval-table.ts";
import { ownToolSearchTables, toolSearchTables } from "./toolsearch-table.ts";

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
    section("Questions about recorded code", found("retrieval"), retrievalTables),
    section("Questions about this repository", found("own-retrieval"), retrievalTables),
    section("Tools that a query needs", found("toolsearch"), toolSearchTables),
    section("Tools of four small servers (our own queries)", found("own-toolsearch"), ownToolSearchTables),
    section("Time of a step", found("steps"), stepsTables),
    section("A session of thousands of turns", found("long"), longTables),
    section("Start", found("startup"), startupTables),
  ];
  const texts = [intro, ...sections.filter((text) => text !== null)];
  return `${texts.map((text) => text.trim()).join("\n\n")}\n`;
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
  const columns = replayColumns.filter(
    ({ from, value }) => from !== "newer runs" || names.some((name) => value(row(first, name)) !== undefined),
  );
  const rows = names.map((name) => {
    const own = row(first, name);
    const plain = columns.map(({ value }) => shown(value(own)));
    return [`\`${name}\``, ...parts.map((part) => shown(at(row(part, name), "netCost"))), ...plain];
  });
  const facts = `${shown(sessions)} sessions, ${shown(calls)} model calls, tokens ${shown(tokens)}, lifetimes ${shown(lifetimes)}.`;
  const about =
    "Net cost in percent of append-only, what was taken away and needed later charged; the other columns at the first price; what was fitted was fitted on even sessions.";
  const head = ["strategy", ...prices, ...columns.map(({ name }) => name)];
  const notes = rowsOf(first.result, "strategies").flatMap(({ name, note }) =>
    typeof note === "string" ? [`- \`${shown(name)}\`: ${note}`] : [],
  );
  return [`## Replay: ${title.toLowerCase()}`, source(parts), `${facts} ${about}`, table(head, rows), notes.join("\n")]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** `from`: left out where a run that is still shown did not print it. */
const replayColumns: readonly {
  readonly name: string;
  readonly value: (row: unknown) => unknown;
  readonly from?: "newer runs";
}[] = [
  { name: "comparable", from: "newer runs", value: (row) => at(row, "comparable") },
  { name: "odd sessions", value: (row) => at(row, "odd") },
  { name: "random halves differ by", from: "newer runs", value: (row) => at(row, "halves", "p90") },
  { name: "visible", value: (row) => at(row, "visible") },
  { name: "recalled", value: (row) => at(row, "recalled") },
  { name: "lost", value: (row) => at(row, "lost") },
  { name: "extra steps", value: (row) => at(row, "extraSteps") },
  { name: "breaks per 100", value: (row) => at(row, "breaksPer100") },
  { name: "mean peak, tokens", value: (row) => at(row, "meanPeak") },
  { name: "over 200k", value: (row) => at(row, "overflows", "200k") },
  { name: "over head + 32k", value: (row) => at(row, "overflows", "h32k") },
];
