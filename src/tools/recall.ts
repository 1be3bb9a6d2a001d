import { indexLines } from "../digest/line-index.ts";
import { charsOf } from "../digest/text.ts";
import { brand } from "../kernel/ids.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import { countOf, renderColumn } from "./read-lines.ts";
import { valueAtPath } from "./recall-json.ts";
import { searchLines } from "./recall-search.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

type Part = {
  readonly startLine: number | undefined;
  readonly endLine: number | undefined;
  readonly column: number | undefined;
  readonly jsonPath: string | undefined;
  readonly search: string | undefined;
};

/** Any original that was not fully shown, exactly as it was (law 3). */
export function recallTool(): Tool {
  return defineTool({
    name: "recall",
    description:
      "Bring back an earlier result by its handle, exactly as it was: a range of lines, a jsonPath ($.a[0].b), or the lines that hold the text search.",
    fields: {
      handle: { type: "string", optional: false },
      startLine: { type: "integer", minimum: 1, optional: true },
      endLine: { type: "integer", minimum: 1, optional: true },
      column: { type: "integer", minimum: 1, optional: true },
      jsonPath: { type: "string", optional: true },
      search: { type: "string", optional: true },
    },
    readOnly: true,
    plan: ({ handle, ...part }) => {
      const { startLine = 1, endLine, column, jsonPath, search } = part;
      if (!/^[a-z0-9]+$/.test(handle))
        return `handle: expected letters and digits as a note gives them, got ${JSON.stringify(handle.slice(0, 80))}.`;
      if (endLine !== undefined && endLine < startLine) return `endLine: expected >= startLine, got ${endLine}.`;
      if (column !== undefined && endLine !== undefined && endLine !== startLine) {
        return "column: reads on within one line; leave endLine out.";
      }
      const ways = [jsonPath, search, part.startLine ?? endLine ?? column].filter((way) => way !== undefined);
      if (ways.length > 1) return "name one of: lines (startLine, endLine, column), jsonPath, search.";
      if (search === "") return "search: expected some text, got an empty string.";
      return { access: { type: "none" }, title: `recall ${handle}`, run: (context) => recall(handle, part, context) };
    },
  });
}

async function recall(handle: string, part: Part, context: ToolContext): Promise<ToolOutcome> {
  const original = await context.original(brand(handle));
  if (original === null) {
    return failed(
      `No result with handle ${handle} is known. Take the handle from a note of this session, or run the call again.`,
    );
  }
  const { text } = original;
  if (part.jsonPath !== undefined) {
    const found = valueAtPath(text, part.jsonPath);
    return found.type === "found" ? done(found.text, { form: "range" }) : failed(`${handle}: ${found.why}`);
  }
  if (part.search !== undefined) return done(searchLines(text, part.search), { form: "output" });
  return recallLines(handle, text, part);
}

function recallLines(handle: string, text: string, part: Part): ToolOutcome {
  const { startLine = 1, endLine, column } = part;
  if (part.startLine === undefined && endLine === undefined && column === undefined) {
    return text === "" ? done("[the result was empty]") : done(text, { form: "range" });
  }
  const lines = indexLines(text);
  if (startLine > lines.count)
    return failed(`${handle} has ${countOf(lines.count, "line")}; startLine is ${startLine}.`);
  const first = lines.at(startLine - 1);
  if (column !== undefined) {
    const chars = charsOf(first);
    if (column > chars)
      return failed(`${handle} has ${countOf(chars, "character")} in line ${startLine}; column is ${column}.`);
    return done(renderColumn(first, startLine, column).join("\n"), { form: "range" });
  }
  const asked = text.slice(lines.startOf(startLine - 1), lines.startOf(endLine ?? lines.count)).replace(/\n$/, "");
  return done(asked === "" ? "[only empty lines]" : asked, { form: "range" });
}
