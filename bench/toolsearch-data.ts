import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { toolName } from "../src/mcp/names.ts";
import type { Searchable } from "../src/mcp/tool-search.ts";
import { listedNow } from "./toolsearch-servers.ts";

/** `gold`: the tools' own names; any order. */
export type ToolQuery = { readonly query: string; readonly gold: readonly string[] };

export type ToolSet = {
  readonly name: string;
  readonly tools: readonly Searchable[];
  readonly queries: readonly ToolQuery[];
  /** Lines that are no row, and queries whose tool is not there. */
  readonly skipped: readonly string[];
};

/**
 * Every folder with `queries.jsonl` and `tools.jsonl`, or `servers.json` in its place, whose servers are asked what they list:
 * `DIR/tools/*`, `DIR/*` or `DIR` itself. None is an error.
 */
export async function toolSetsIn(data: string): Promise<readonly ToolSet[]> {
  const roots = [join(data, "tools"), data].filter(existsSync);
  const below = await Promise.all(roots.map(async (root) => (await readdir(root)).map((name) => join(root, name))));
  const folders = [...new Set([data, ...below.flat()])].filter(
    (folder) => existsSync(join(folder, "queries.jsonl")) && lists.some((file) => existsSync(join(folder, file))),
  );
  if (folders.length === 0) throw new Error(`${data} holds no folder with tools.jsonl and queries.jsonl`);
  return await Promise.all(folders.toSorted().map(setIn));
}

const lists = ["tools.jsonl", "servers.json"];

async function listed(file: string): Promise<readonly (Searchable | string)[]> {
  const { tools, skipped } = await listedNow(await readFile(file, "utf8"));
  return [...tools, ...skipped];
}

async function setIn(folder: string): Promise<ToolSet> {
  const name = basename(folder);
  const read = async (file: string) => rowsIn(file, await readFile(join(folder, file), "utf8"));
  const tools = existsSync(join(folder, "tools.jsonl"))
    ? (await read("tools.jsonl")).map(({ row, line }) => (row === null ? line : (toolOf(row, name) ?? line)))
    : await listed(join(folder, "servers.json"));
  const queryRows = await read("queries.jsonl");
  const known = new Set(tools.flatMap((tool) => (typeof tool === "string" ? [] : [tool.tool])));
  const queries = queryRows.map(({ row, line }) => (row === null ? line : (queryOf(row, known) ?? line)));
  return {
    name,
    tools: tools.filter((one) => typeof one !== "string"),
    queries: queries.filter((one) => typeof one !== "string"),
    skipped: [...tools, ...queries].filter((one) => typeof one === "string"),
  };
}

type Row = Readonly<Record<string, unknown>>;

/** `row`: null where the line holds no object. */
function rowsIn(file: string, text: string): readonly { readonly row: Row | null; readonly line: string }[] {
  return text
    .split("\n")
    .map((content, at) => ({ content, line: `${file}: line ${at + 1} lacks what a row has` }))
    .filter(({ content }) => content.trim() !== "")
    .map(({ content, line }) => {
      const parsed = parseJson(content);
      return { row: parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : null, line };
    });
}

/** Where a row names no server, its list is one server's. */
function toolOf(row: Row, set: string): Searchable | null {
  const { name, description, title, parameters, inputSchema, instructions, server } = row;
  if (typeof name !== "string") return null;
  const alias = textOr(server, set);
  return {
    name: toolName(alias, name),
    server: alias,
    tool: name,
    title: textOr(title, ""),
    description: textOr(description, ""),
    parameters: JSON.stringify(parameters ?? inputSchema ?? {}),
    instructions: textOr(instructions, ""),
  };
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}

function queryOf({ query, tool, tools }: Row, known: ReadonlySet<string>): ToolQuery | null {
  if (typeof query !== "string") return null;
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [tool];
  const gold = all.filter((one) => typeof one === "string").filter((one) => known.has(one));
  return gold.length === 0 ? null : { query, gold };
}
