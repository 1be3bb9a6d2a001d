import type { FactCommand } from "../memory/fact-commands.ts";
import { environmentMask } from "./environment-mask.ts";
import { CommandError, UsageError } from "./exit.ts";

/** The words behind `varve facts` as a command, checked. */
export function commandOf(action: string, args: readonly string[], flags: { readonly project?: boolean }): FactCommand {
  const scope = flags.project === true ? "project" : "session";
  const [first = ""] = args;
  const one = (what: string) => {
    if (args.length === 1) return first;
    throw new UsageError(`facts ${action}: expected one ${what}, got ${args.length}`);
  };
  if (action === "pin") {
    if (args.length === 0) throw new UsageError("facts pin: expected the words to keep");
    return { type: "pin", text: unmasked(args.join(" ")), scope };
  }
  if (action === "retire") return { type: "retire", fact: one("id") };
  if (action === "accept") return { type: "accept", fact: one("id"), scope };
  if (action === "refuse") return { type: "refuse", fact: one("id") };
  if (action !== "merge")
    throw new UsageError(`facts: expected list, pin, retire, merge, accept or refuse; got "${action}"`);
  const until = args.findIndex((word) => !/^f[0-9a-f]{2,9}$/.test(word));
  if (until < 2) throw new UsageError("facts merge: expected two ids or more, then the words in their place");
  const text = unmasked(args.slice(until).join(" "));
  const merge = { type: "merge", facts: args.slice(0, until), text } as const;
  return flags.project === true ? { ...merge, scope: "project" } : merge;
}

/** A fact goes with every request: a secret in it would be sent again and again. */
function unmasked(text: string): string {
  if (environmentMask("shown").values(text) !== text)
    throw new CommandError("the text holds a secret of the environment: not kept");
  return text;
}
