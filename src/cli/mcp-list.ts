import { cardStore } from "../adapters/cards.ts";
import { findServers, serversFor } from "../adapters/server-files.ts";
import { type CardRow, cardRows, cardTable } from "../mcp/card-rows.ts";
import { cardOf } from "../mcp/cards.ts";
import type { Mask } from "../secrets/mask.ts";
import { mergeServers, type ServerStanding, standingEntry } from "../workspace/server-settings.ts";
import { exitCodes } from "./exit.ts";
import { type Home, viewHome } from "./home.ts";
import { serversMask, serversPlace, type TrustFlags } from "./mcp-place.ts";
import { homeOf } from "./settings.ts";
import { endingInLine, printable, say } from "./terminal.ts";

type ListFlags = TrustFlags & { readonly json?: boolean };

/** `varve mcp list`: the servers of a session here, whether each is started, and what its tools cost so far. Starts none. */
export async function runMcpList(flags: ListFlags): Promise<number> {
  const home = await viewHome(homeOf(process.env), process.cwd());
  const place = serversPlace(home, flags);
  const found = await findServers(place);
  const { faults, warnings } = await serversFor(place);
  const mask = serversMask(found);
  const holding = mergeServers(found.all);
  const cards = await cardsOf(home, holding);
  const rows = holding.map((standing) => rowOf(standing, mask));
  for (const note of [...faults, ...warnings]) say(`varve: ${mask.text(note)}`);
  const text = flags.json === true ? jsonOf(rows, cards, { faults, warnings }) : textOf(rows, cards);
  process.stdout.write(endingInLine(text));
  return exitCodes.done;
}

type Row = {
  readonly name: string;
  readonly scope: string;
  readonly source: string;
  /** Whether a session here starts it. */
  readonly state: "on" | "off";
  readonly why: string | null;
  /** null: its entry cannot be read. */
  readonly does: string | null;
};

function rowOf(standing: ServerStanding, mask: Mask): Row {
  const { name, scope, source, off, launch } = standingEntry(standing);
  const does = launch === null ? null : mask.text(standing.server.does);
  return { name, scope, source, state: off === null ? "on" : "off", why: off, does };
}

/** As measured by sessions of this project; how many tools a server has is known only while it runs. */
async function cardsOf({ stores, project }: Home, holding: readonly ServerStanding[]): Promise<readonly CardRow[]> {
  const measures = await cardStore(stores.log, project).read();
  const names = holding.map(({ server }) => server.entry.name);
  return cardRows(names.map((server) => cardOf(measures, { server, tools: null, definitionTokens: null })));
}

function jsonOf(
  rows: readonly Row[],
  cards: readonly CardRow[],
  notes: { readonly faults: readonly string[]; readonly warnings: readonly string[] },
): string {
  const costs = new Map(cards.map((card) => [card.server, card]));
  return JSON.stringify({ servers: rows.map((row) => ({ ...row, cost: costs.get(row.name) ?? null })), ...notes });
}

function textOf(rows: readonly Row[], cards: readonly CardRow[]): string {
  if (rows.length === 0) return "no MCP server is configured here; `varve mcp add --help` says how (docs/mcp.md)";
  const measured = cards.filter(({ calls, definitionTokens }) => calls > 0 || definitionTokens !== null);
  return [...rows.map(linesOf), ...(measured.length === 0 ? [] : ["", cardTable(measured)])].join("\n");
}

function linesOf({ name, scope, source, why, does }: Row): string {
  const state = why === null ? "starts with a session" : `off: ${why}`;
  const lines = [`${name}  ${scope}, ${source}: ${state}`, ...(does === null ? [] : [`    ${does}`])];
  return lines.map((line) => printable(line).replaceAll("\n", " ")).join("\n");
}
