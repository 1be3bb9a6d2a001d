import { memoryTools } from "../adapters/memory-tools.ts";
import { workspaceOf } from "../adapters/workspace.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";
import { noMask } from "../secrets/mask.ts";
import type { Home } from "./home.ts";

/** The built-in tools as a new session here declares them; none is run. */
export async function declaredTools({ root, project, cwd }: Home): Promise<readonly ToolDeclaration[]> {
  const memory = memoryTools({ home: { home: root, project, cwd, user: null }, mask: noMask, mode: "review" });
  const { tools } = await workspaceOf({ cwd, env: process.env, outsideAllowed: () => false, memory });
  return tools.map(({ declaration }) => declaration);
}
