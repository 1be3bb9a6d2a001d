import { createInterface } from "node:readline/promises";
import type { Effects } from "../agent/effects.ts";
import { printable } from "./terminal.ts";

/** Asks at the terminal; nobody there (a pipe, CI): null, which refuses. Anything but a clear yes is a no. */
export const askAtTerminal: Effects["ask"] = async ({ tool, title, why }, signal) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // While a line is read the terminal hands Ctrl-C to the reader; it means the turn.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    const question = `${printable(`${title}\n  ${why}`)}\nAllow this ${tool} call? [y/N] `;
    const answer = (await terminal.question(question, { signal })).trim();
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
