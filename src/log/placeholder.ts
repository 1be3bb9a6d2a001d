import type { Handle } from "../kernel/ids.ts";
import type { Text } from "./block.ts";

/** What a command's text is filled with before it is said: outputs of shell lines and contents of files (PROTOCOLS G.4). */
export type PlaceholderEntry =
  /** The intent, with what the permission layer said of it; one that was refused did not start. `run` names this one. */
  | {
      readonly type: "placeholder-started";
      readonly run: string;
      /** The command it stands in, as it is called. */
      readonly command: string;
      /** A shell line, or a path. */
      readonly what: string;
      readonly allowed: boolean;
      readonly by: "mode" | "rule" | "user" | "hook";
      readonly why: string;
    }
  | {
      readonly type: "placeholder-ended";
      readonly run: string;
      /** `unknown`: this program ended first. */
      readonly ending: "done" | "failed" | "timed-out" | "interrupted" | "unknown";
      readonly exitCode: number | null;
      /** The original, whole. */
      readonly output: Text;
      readonly handle: Handle;
      /** Whose call it was, and about what: a shell line, or a file's path. Left out: nobody knows more than that it began. */
      readonly tool?: string;
      readonly what?: string;
    };

/** Those that were started and have no end yet, by `run`. */
export type OpenPlaceholders = Readonly<Record<string, string>>;

export function withoutRun(open: OpenPlaceholders, run: string): OpenPlaceholders {
  const { [run]: ended, ...rest } = open;
  return ended === undefined ? open : rest;
}
