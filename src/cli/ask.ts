import { createInterface } from "node:readline/promises";
import type { Effects } from "../agent/effects.ts";
import { quoted } from "./terminal.ts";

/** Asks at the terminal; nobody there (a pipe, CI): null, which refuses. Anything but a clear yes is a no. */
export const askAtTerminal: Effects["ask"] = async ({ tool, title, why }, signal) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // While a line is read the terminal hands Ctrl-C to the reader; it means the turn.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    const answer = (await terminal.question(questionOf(tool, title, why), { signal })).trim();
    if (/^y(es)?$/i.test(answer)) return { allowed: true, why: "the user said yes" };
    return { allowed: false, why: answer === "" ? "the user said no" : `the user said: ${answer}` };
  } catch (error) {
    // The turn was interrupted, or the terminal went away while the question stood.
    if (signal.aborted || (error instanceof Error && error.name === "AbortError")) return null;
    throw error;
  } finally {
    terminal.close();
  }
};

/** How much there is to read is said where it may have left the screen. */
export function questionOf(tool: string, title: string, why: string): string {
  const text = quoted(`${title}\n${why}`);
  const lines = text.split("\n").length;
  return `${text}\nAllow this ${tool} call${lines > 20 ? ` (all ${lines} lines of it)` : ""}? [y/N] `;
}
