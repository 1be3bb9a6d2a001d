import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every file of a folder by its path from there. */
export function filesBelow(folder: string): Map<string, string> {
  const items = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  return new Map(
    items.map((item) => {
      const path = join(item.parentPath, item.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}
