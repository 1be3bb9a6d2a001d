import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "./fake-tools.ts";

export const shop = join(import.meta.dirname, "../../examples/shop");

export function shopFiles(): Map<string, string> {
  return filesBelow(shop);
}

export function filesBelow(folder: string): Map<string, string> {
  const items = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  return new Map(
    items.map((item) => {
      const path = join(item.parentPath, item.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}

/** The sample's tests as far as the brain reads them: red before the page, one red for the mistake, green after. */
export function shellOver(files: ReadonlyMap<string, string>): (command: string) => Outcome {
  return (command) => {
    if (!command.includes("vitest")) return { text: "built", isError: false };
    const validation = files.get("src/login/validateLogin.ts");
    const isThere = validation !== undefined && (files.get("src/App.tsx") ?? "").includes("<LoginPage");
    if (!isThere) return { text: ` ${"× a test\n".repeat(400)} Tests  25 failed | 34 passed (59)`, isError: true };
    if (validation.includes("_+-]")) return { text: " Tests  59 passed (59)", isError: false };
    return { text: "   × ada+shop@example.org is an address 1012ms\n Tests  1 failed | 58 passed (59)", isError: true };
  };
}
