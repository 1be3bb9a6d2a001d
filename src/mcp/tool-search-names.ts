import { distance } from "../workspace/command-line.ts";
import { partsOf, type Searchable } from "./tool-search-fields.ts";

type ToolsAsked<T> = {
  /** Those that are asked for by name, in that order. */
  readonly named: readonly T[];
  /** Names that no tool has. */
  readonly missing: readonly string[];
  /** What is to be ranked by; null: names were all that was asked. */
  readonly said: string | null;
  readonly only: (tool: T) => boolean;
};

export function toolsAsked<T extends Searchable>(query: string, tools: readonly T[]): ToolsAsked<T> {
  const text = query.trim();
  const selected = /^select:(.*)$/is.exec(text)?.[1];
  if (selected !== undefined) return selectedIn(selected, tools);
  const whole = withName(text, tools);
  const exact = whole.filter(({ name }) => name === text);
  if (exact.length > 0) return { named: exact, missing: [], said: null, only: () => true };
  const required = [...text.matchAll(requiredWord)].map(([, word = ""]) => word.toLowerCase());
  const named = [...whole, ...text.split(/[\s,;()"'`]+/).flatMap((word) => mentioned(word, tools))];
  return {
    named: [...new Set(named)],
    missing: [],
    said: text.replaceAll(requiredWord, " $1"),
    only: (tool) => required.every((word) => `${tool.server} ${tool.tool}`.toLowerCase().includes(word)),
  };
}

/** `+slack send`: as Claude Code's search takes it. */
const requiredWord = /(?<!\S)\+([\p{L}\p{N}_-]+)/gu;

function selectedIn<T extends Searchable>(selected: string, tools: readonly T[]): ToolsAsked<T> {
  const names = selected
    .split(/[,\s]+/)
    .filter((name) => name !== "")
    .map((name) => ({ name, found: withName(name, tools) }));
  return {
    named: names.flatMap(({ found }) => found),
    missing: names.filter(({ found }) => found.length === 0).map(({ name }) => name),
    said: null,
    only: () => true,
  };
}

/** As it is declared; else the server's own name, of each server that has it; else whatever the case. */
function withName<T extends Searchable>(asked: string, tools: readonly T[]): readonly T[] {
  const same: readonly ((tool: T) => boolean)[] = [
    ({ name }) => name === asked,
    ({ tool }) => tool === asked,
    ({ name, tool }) => [name, tool].some((one) => one.toLowerCase() === asked.toLowerCase()),
  ];
  return same.map((isSame) => tools.filter(isSame)).find((found) => found.length > 0) ?? [];
}

/** In a sentence only what looks like a name is one: `list` is a word. */
function mentioned<T extends Searchable>(word: string, tools: readonly T[]): readonly T[] {
  return partsOf(word).length > 1 ? withName(word, tools) : [];
}

/** The declared names of tools that were likely meant, the likeliest first. */
export function nearTools(wanted: readonly string[], tools: readonly Searchable[]): readonly string[] {
  const near = wanted.slice(0, wantedMax).flatMap((asked) => {
    const name = asked.slice(0, nameCharsMax).toLowerCase();
    const most = Math.max(1, Math.floor(name.length / 4));
    return tools
      .map((one) => ({ name: one.name, far: farFrom(name, one, most) }))
      .filter(({ far }) => far <= most)
      .toSorted((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
      .slice(0, nearMax)
      .map((one) => one.name);
  });
  return [...new Set(near)];
}

const wantedMax = 10;
const nearMax = 3;
/** A declared name has 64 at most; a server's own may have more. */
const nameCharsMax = 128;

/** Beyond `most` the distance may be any that is farther: it takes no more time than there are names about as long. */
function farFrom(asked: string, { name, tool }: Searchable, most: number): number {
  const names = [name, tool].map((one) => one.slice(0, nameCharsMax).toLowerCase());
  return Math.min(...names.map((one) => nameDistance(asked, one, most)));
}

function nameDistance(asked: string, name: string, most: number): number {
  if (asked.length > 2 && name.includes(asked)) return 0;
  const longer = Math.abs(asked.length - name.length);
  return longer > most ? longer : distance(asked, name);
}
