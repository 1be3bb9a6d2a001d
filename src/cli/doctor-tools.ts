import { execFile } from "node:child_process";
import { findRipgrep } from "../adapters/ripgrep.ts";
import { type Check, ok, warn } from "./doctor-check.ts";

/** Node, its SQLite, and the programs that tools use. */
export async function toolChecks(): Promise<readonly Check[]> {
  return [
    ok("node", process.versions.node),
    await sqlite(),
    await ripgrep(),
    await program("git", ["--version"], "there is no git: changes of the repository are not seen", "install git"),
    await sandbox(),
  ];
}

async function sqlite(): Promise<Check> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE probe USING fts5(text)");
    database.close();
    return ok("sqlite", "full-text search (FTS5) is there");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return warn(
      "sqlite",
      `no full-text search: ${why}`,
      "use a Node build with FTS5; without it searches read everything",
    );
  }
}

async function ripgrep(): Promise<Check> {
  const found = await findRipgrep();
  if (found.type === "missing") return warn("ripgrep", found.why, "install the package for this platform: npm install");
  return await program(found.path, ["--version"], "ripgrep does not run", "npm install", "ripgrep");
}

/** Whether commands could run confined: the program is there, and the system lets it make what it needs. */
async function sandbox(): Promise<Check> {
  if (process.platform !== "linux")
    return warn("sandbox", "there is none for this system", "commands run without a sandbox here");
  const probe = ["--ro-bind", "/", "/", "--unshare-net", "true"];
  const todo = "commands run without a sandbox until bubblewrap is installed and may use user namespaces";
  const ran = await outputOf("bwrap", probe);
  if (ran.type === "ran") return ok("sandbox", "bubblewrap can confine commands");
  return warn("sandbox", ran.type === "absent" ? "bubblewrap is not installed" : `bubblewrap fails: ${ran.why}`, todo);
}

async function program(
  path: string,
  args: readonly string[],
  missing: string,
  todo: string,
  name = path,
): Promise<Check> {
  const ran = await outputOf(path, args);
  if (ran.type === "ran") return ok(name, ran.line);
  return warn(name, ran.type === "absent" ? missing : `${missing} (${ran.why})`, todo);
}

type Ran =
  | { readonly type: "ran"; readonly line: string }
  | { readonly type: "absent" }
  | { readonly type: "failed"; readonly why: string };

const programMsMax = 5_000;

/** The first line a program prints. */
function outputOf(path: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(path, [...args], { timeout: programMsMax }, (error, stdout, stderr) => {
      const line = (text: string) => text.split("\n")[0]?.trim() ?? "";
      if (error === null) resolve({ type: "ran", line: line(stdout) });
      else if (error.code === "ENOENT") resolve({ type: "absent" });
      else resolve({ type: "failed", why: line(stderr) || error.message });
    });
  });
}
