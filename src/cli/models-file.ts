import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelSettings, parseModelFile } from "../budget/model-file.ts";
import { UsageError } from "./exit.ts";

/** `models.json` beside the sessions: the user's own windows and prices. Absent: none. */
export async function readModelsFile(root: string): Promise<ModelSettings> {
  const path = join(root, "models.json");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new UsageError(`${path} cannot be read: ${error.message}`);
  });
  if (text === null) return { windows: {}, memory: {}, prices: [] };
  const parsed = parseModelFile(text);
  if (parsed.type === "bad") throw new UsageError(`${parsed.why} (in ${path})`);
  return parsed.settings;
}
