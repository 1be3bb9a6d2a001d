import { bounds } from "../kernel/bounds.ts";
import { brand } from "../kernel/ids.ts";
import type { Index } from "../ports/index-port.ts";
import type { ProjectIndex } from "../ports/project-index.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import { searchAll, whyNotFound } from "./recall-all.ts";
import { promptPage } from "./recall-page.ts";
import { partOf, type Wanted } from "./recall-part.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

/** Any original that was not fully shown, exactly as it was (law 3), and the way to one whose handle nobody knows. */
export function recallTool(known: { readonly index: Index; readonly project?: ProjectIndex }): Tool {
  const { index } = known;
  return defineTool({
    name: "recall",
    description:
      "Bring back an earlier result by its handle, exactly as it was: a range of lines, a jsonPath ($.a[0].b), the lines that match the regular expression grep or hold the text search. Without a handle, search finds its words in everything of this session, also what is no longer shown.",
    fields: {
      handle: { type: "string", optional: true },
      startLine: { type: "integer", minimum: 1, optional: true },
      endLine: { type: "integer", minimum: 1, optional: true },
      column: { type: "integer", minimum: 1, optional: true },
      jsonPath: { type: "string", optional: true },
      grep: { type: "string", optional: true },
      search: { type: "string", optional: true },
    },
    readOnly: true,
    plan: ({ handle: given, ...wanted }) => {
      const fault = faultOf(wanted);
      if (fault !== null) return fault;
      if (given === undefined) return planSearch(index, wanted);
      const handle = bareHandle(given);
      if (!/^[a-z0-9]+$/.test(handle))
        return `handle: expected letters and digits as a note gives them, got ${JSON.stringify(given.slice(0, 80))}.`;
      const run = (context: ToolContext) => recall(known, handle, wanted, context);
      return { access: { type: "none" }, title: `recall ${handle}`, run };
    },
  });
}

/** As people and models quote it from a note: `[a1b2c3]`, `handle=a1b2c3`. */
export function bareHandle(given: string): string {
  return given
    .trim()
    .replace(/^handle=/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
}

/** What is wrong with the fields together; null: nothing. */
export function faultOf({ startLine, endLine, column, grep, search }: Wanted): string | null {
  if (endLine !== undefined && endLine < (startLine ?? 1)) return `endLine: expected >= startLine, got ${endLine}.`;
  if (grep !== undefined && search !== undefined) return "name one of: grep, search.";
  if (column !== undefined && (grep ?? search) !== undefined)
    return "column: reads on within one line; leave grep and search out.";
  if (column !== undefined && endLine !== undefined && endLine !== startLine)
    return "column: reads on within one line; leave endLine out.";
  if (search?.trim() === "") return "search: expected some text, got an empty string.";
  if (grep === "") return "grep: expected a regular expression, got an empty string.";
  if ((grep ?? search ?? "").length > bounds.patternCharsMax)
    return `grep, search: expected at most ${bounds.patternCharsMax} characters.`;
  return null;
}

function planSearch(
  index: Index,
  { search, startLine, ...rest }: Wanted,
): ReturnType<Parameters<typeof defineTool>[0]["plan"]> {
  const others = Object.values(rest).some((value) => value !== undefined);
  if (search === undefined || others) return "handle: missing; without one, name search alone.";
  return {
    access: { type: "none" },
    title: `recall search ${JSON.stringify(search.slice(0, 80))}`,
    run: async (_, signal) => {
      const found = await searchAll(index, search, startLine ?? 1, signal);
      return done(found.type === "text" ? found.text : found.why);
    },
  };
}

/** The lane's own originals are at hand; another lane's or session's, or one by the beginning of its handle, is looked for. */
async function recall(
  { index, project }: { readonly index: Index; readonly project?: ProjectIndex },
  handle: string,
  wanted: Wanted,
  context: ToolContext,
): Promise<ToolOutcome> {
  const own = await context.original(brand(handle));
  const here = own === null ? await index.find(handle) : { type: "found" as const, handle, text: own.text };
  const found = here.type === "unknown" ? ((await project?.original(handle)) ?? here) : here;
  if (found.type !== "found") return failed(whyNotFound(handle, found));
  const part = partOf(found.handle, found.text, wanted, promptPage);
  return part.type === "bad" ? failed(part.why) : done(part.type === "text" ? part.text : part.why);
}
