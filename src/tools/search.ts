import { bounds } from "../kernel/bounds.ts";
import type { Fragment, ProjectIndex, ProjectQuery } from "../ports/project-index.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import { searchText } from "./search-text.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

/** Finds by words what nobody knows the name of; what is found is appended like any result, never put into the prefix. */
export function searchTool({ project }: { readonly project: ProjectIndex }): Tool {
  return defineTool({
    name: "Search",
    description:
      "Find by words or a question what this project's docs, code and sessions say, also turns of this session that are no longer shown. Gives the best fragments with path:lines or handle: at most 2k tokens, mostly far less than reading the files. For an exact text use Grep.",
    fields: {
      query: { type: "string", optional: false },
      in: { type: "string", values: [...searchSources], optional: true },
      limit: { type: "integer", minimum: 1, maximum: bounds.fragmentsMax, optional: true },
    },
    readOnly: true,
    plan: ({ query, in: source, limit = fragmentsUsual }) => {
      if (query.trim() === "") return "query: expected some words, got white space.";
      if (query.length > bounds.patternCharsMax) return `query: longer than ${bounds.patternCharsMax} characters.`;
      const asked = { words: query, within: source === undefined ? searchSources : [sourceNamed(source)], limit };
      return {
        access: source === "sessions" ? { type: "none" } : { type: "read", path: "." },
        title: `Search ${JSON.stringify(query.trim().slice(0, 200))}${source === undefined ? "" : ` in ${source}`}`,
        run: (context, signal) => search(project, asked, context, signal),
      };
    },
  });
}

export const searchSources: readonly Fragment["source"][] = ["docs", "code", "sessions"];
export const fragmentsUsual = 6;

/** `values` let no other through. */
function sourceNamed(name: string): Fragment["source"] {
  return searchSources.find((source) => source === name) ?? "docs";
}

async function search(
  project: ProjectIndex,
  asked: ProjectQuery,
  { cwd }: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const found = await project.search(asked, signal);
  if (signal.aborted) return { ...failed("Interrupted by the user."), ending: "interrupted" };
  return done(searchText(found, { words: asked.words, cwd, tokensMax: bounds.outputTokensMax }));
}
