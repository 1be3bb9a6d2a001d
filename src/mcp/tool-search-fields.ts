import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { wordsOf } from "../memory/retrieval-terms.ts";
import { type Action, actionOf } from "./tool-search-words.ts";

/** What is known of a tool that can be found. */
export type Searchable = {
  /** As the model calls it. */
  readonly name: string;
  /** The server's alias, and its own name of the tool. */
  readonly server: string;
  readonly tool: string;
  /** For people; empty where there is none. */
  readonly title: string;
  readonly description: string;
  /** JSON text of its input schema. */
  readonly parameters: string;
  /** Its server's. */
  readonly instructions: string;
};

type Field = "name" | "title" | "description" | "parameters" | "parameterWords" | "server";

/** A tool's words by the places they stand at, in lower case, identifiers cut into their parts. */
export type ToolWords = {
  readonly fields: Readonly<Record<Field, readonly string[]>>;
  readonly action: Action | null;
};

export function toolWordsOf(tool: Searchable): ToolWords {
  const { names, texts } = parametersIn(tool.parameters);
  const [name, title] = [partsOf(tool.tool), partsOf(tool.title)];
  return {
    fields: {
      name,
      title,
      description: partsOf(tool.description),
      parameters: partsOf(names.join(" ")),
      parameterWords: partsOf(texts.join(" ")),
      server: partsOf(`${tool.server} ${tool.instructions}`),
    },
    // The verb often ends a name: `db_list`, `db_get`.
    action: actionOf([...name.toReversed(), ...title, ...partsOf(leadOf(tool.description))]),
  };
}

/** What of a text is compared has a limit: the rest of it finds nothing. */
export function partsOf(text: string): readonly string[] {
  return wordsOf(text.slice(0, bounds.searchedCharsMax)).flatMap(({ parts }) => parts);
}

/** The first sentence, or line. */
function leadOf(description: string): string {
  const start = description.trim().slice(0, leadCharsMax);
  const end = start.search(/[.!?](?=\s|$)|[。！？\n]/);
  return end < 0 ? start : start.slice(0, end);
}

const leadCharsMax = 400;

type Parameters = { readonly names: readonly string[]; readonly texts: readonly string[] };

const noParameters: Parameters = { names: [], texts: [] };

function parametersIn(schema: string): Parameters {
  const parsed = parseJson(schema);
  return parsed.type === "bad" ? noParameters : within(parsed.value);
}

/** The names of parameters, and what is said of them: descriptions, and the values that they may have. */
function within(value: unknown): Parameters {
  if (Array.isArray(value)) return together(value.map(within));
  if (!isRecord(value)) return noParameters;
  const { properties, description, title, enum: values } = value;
  const deeper = Object.entries(value).filter(([key]) => !isSaid.has(key));
  const inner = isRecord(properties) ? Object.values(properties) : [];
  const said = [description, title, ...(Array.isArray(values) ? values : [])];
  return together([
    {
      names: isRecord(properties) ? Object.keys(properties) : [],
      texts: said.filter((text) => typeof text === "string"),
    },
    ...inner.map(within),
    ...deeper.map(([, one]) => within(one)),
  ]);
}

const isSaid: ReadonlySet<string> = new Set(["properties", "description", "title", "enum", "required", "default"]);

function together(all: readonly Parameters[]): Parameters {
  return { names: all.flatMap(({ names }) => names), texts: all.flatMap(({ texts }) => texts) };
}
