import type { Program } from "../ports/shell.ts";

/** The binary comes as an optional package per platform; loading its index throws where that is missing. */
export async function findRipgrep(): Promise<Program> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return { type: "found", path: rgPath };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      type: "missing",
      why: `ripgrep is not installed for this platform (${why}). Use Bash with grep or find instead.`,
    };
  }
}
