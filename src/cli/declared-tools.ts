import { memoryTools } from "../adapters/memory-tools.ts";
import { serversFor } from "../adapters/server-files.ts";
import { workspaceOf } from "../adapters/workspace.ts";
import type { ToolDeclaration } from "../prompt/doc.ts";
import { codecFor } from "../provider/codecs.ts";
import { usualModel } from "../provider/usual-model.ts";
import { noMask } from "../secrets/mask.ts";
import type { Home } from "./home.ts";
import { serversPlace } from "./mcp-place.ts";

/** The tools that a new session here declares for that model; none is run, and no server is started. */
export async function declaredTools(home: Home, model: string): Promise<readonly ToolDeclaration[]> {
  const { root, project, cwd } = home;
  const memory = memoryTools({ home: { home: root, project, cwd, user: null }, mask: noMask, mode: "review" });
  const { tools } = await workspaceOf({ cwd, env: process.env, outsideAllowed: () => false, memory });
  const { entries } = await serversFor(serversPlace(home));
  const beside = entries.length === 0 ? [] : (await import("../adapters/serving.ts")).toolsForServers();
  const { wire } = usualModel(model);
  const reveals = codecFor(wire).abilities(model).revealsTools === true;
  return [...tools, ...beside]
    .filter(({ passesOn }) => passesOn !== true || !reveals)
    .map(({ declaration }) => declaration);
}
