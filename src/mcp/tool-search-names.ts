import { madeOnce } from "../kernel/once.ts";
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
  const { declared, own, lower } = placesFor(tools, () => placesIn(tools));
  const found = declared.get(asked) ?? own.get(asked) ?? lower.get(asked.toLowerCase()) ?? [];
  return found.flatMap((at) => tools[at] ?? []);
}

type PlacesByName = ReadonlyMap<string, readonly number[]>;
type Places = { readonly declared: PlacesByName; readonly own: PlacesByName; readonly lower: PlacesByName };

/** Hundreds of names may be asked for at once. */
const placesFor = madeOnce<readonly Searchable[], Places>();

function placesIn(tools: readonly Searchable[]): Places {
  return {
    declared: placesBy(tools, ({ name }) => [name]),
    own: placesBy(tools, ({ tool }) => [tool]),
    lower: placesBy(tools, ({ name, tool }) => [...new Set([name.toLowerCase(), tool.toLowerCase()])]),
  };
}

function placesBy(tools: readonly Searchable[], namesOf: (tool: Searchable) => readonly string[]): PlacesByName {
  const places = new Map<string, number[]>();
  for (const [at, tool] of tools.entries())
    for (const name of namesOf(tool)) {
      const held = places.get(name);
      if (held === undefined) places.set(name, [at]);
      else held.push(at);
    }
  return places;
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
