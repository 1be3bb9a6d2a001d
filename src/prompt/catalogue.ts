import type { ToolDeclaration } from "./doc.ts";

/**
 * The tools of a head in the one order they are sent in: by name, by code units, whoever connected first and whatever the
 * locale (CASES C-031).
 */
export function catalogue(tools: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
