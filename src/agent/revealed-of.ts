import { canonicalJson } from "../kernel/canonical.ts";
import type { CatalogueTool } from "../mcp/catalogue.ts";

/** A tool as an entry names it. */
export function revealedOf({ name, server, tool, declaration, definition }: CatalogueTool) {
  return { name, server, tool, declaration: canonicalJson(declaration), definition } as const;
}
