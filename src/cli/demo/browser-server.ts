import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bounds } from "../../kernel/bounds.ts";
import type { ServerEntry } from "../../workspace/server-settings.ts";
import { UsageError } from "../exit.ts";

/** What drives the browser here: a Chromium of the machine, through Playwright's own MCP server. */
export type Browser = { readonly chromium: string; readonly script: string };

export const browserMissing =
  "demo --browser needs Chromium (apt-get install chromium) and a clone of the repository with its packages (npm ci).";

const script = fileURLToPath(new URL("../../../node_modules/@playwright/mcp/cli.js", import.meta.url));
const names = ["chromium", "chromium-browser", "google-chrome"];

/** Throws, with what to install, where there is none. */
export function browserHere(path = process.env.PATH ?? ""): Browser {
  const files = path.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const chromium = files.find((file) => existsSync(file));
  if (chromium === undefined || !existsSync(script)) throw new UsageError(browserMissing);
  return { chromium, script };
}

/** The server as a session is given it. `declared`: all its tools from the start and its results whole, as agents do that manage nothing. */
export function browserServer(
  { chromium, script }: Browser,
  of: { readonly cwd: string; readonly output: string; readonly tools: "found" | "declared" },
): ServerEntry {
  const place = ["--executable-path", chromium, "--output-dir", of.output];
  return {
    name: "playwright",
    source: "the demo",
    scope: "given",
    launch: {
      type: "stdio",
      command: process.execPath,
      // Nobody here wants its own code for each step.
      args: [script, "--headless", "--no-sandbox", "--isolated", "--codegen", "none", ...place],
      env: {},
      cwd: of.cwd,
    },
    limits: {
      callMs: bounds.serverCallMsDefault,
      // A page is one of many results here, and what it leaves out can be recalled.
      resultTokens: of.tools === "found" ? 1_500 : null,
      allowed: null,
      denied: [],
      alwaysLoad: of.tools === "declared",
    },
    off: null,
  };
}
