import { systemClock } from "../adapters/clock.ts";
import { processOwner } from "../adapters/environment.ts";
import type { Leak } from "../adapters/redact-line.ts";
import { redactSession } from "../adapters/store-redact.ts";
import { bounds } from "../kernel/bounds.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { sessionNamed, viewHome } from "./home.ts";
import { homeOf } from "./settings.ts";
import { readStdin } from "./stdin.ts";
import { say } from "./terminal.ts";

type Flags = { readonly textFromStdin?: boolean; readonly session?: string };

/** `varve log redact`: the one command that changes what a log says. It says what it did, and what it cannot do. */
export async function runRedact(handle: string | undefined, flags: Flags): Promise<number> {
  const leak = await leakOf(handle, flags);
  const home = await viewHome(homeOf(process.env), process.cwd());
  const session = await sessionNamed(home, flags.session);
  const owner = processOwner();
  const { root, stores } = home;
  const result = await redactSession({ root, stores, clock: systemClock, session, owner, leak });
  if (result.type === "refused") throw new CommandError(`nothing was redacted: ${result.why}`);
  const { seqs, blobs } = result;
  if (seqs.length === 0 && blobs.length === 0) {
    say(`varve: ${session} holds nothing of it; nothing was changed`);
    return exitCodes.failed;
  }
  process.stdout.write(
    `${session}: ${seqs.length} entries rewritten (${seqs.join(", ")}), ${blobs.length} texts removed\n`,
  );
  say(
    "varve: THIS LOG WAS REWRITTEN; an entry at its end says so. Copies of the session (forks, backups, the disk's free " +
      "blocks) and the provider may still have the secret: revoke it.",
  );
  return exitCodes.done;
}

async function leakOf(handle: string | undefined, flags: Flags): Promise<Leak> {
  if ((handle === undefined) === (flags.textFromStdin !== true))
    throw new UsageError("what is to be redacted? Name a handle, or give the secret on stdin with --text-from-stdin");
  if (handle !== undefined) {
    if (!/^[a-z0-9]{4,64}$/.test(handle)) throw new UsageError(`"${handle.slice(0, 80)}" is no handle`);
    return { type: "handle", handle };
  }
  const text = (await readStdin(false)).replace(/\r?\n$/, "");
  if (text.length < bounds.secretCharsMin)
    throw new UsageError(
      `the text on stdin: expected at least ${bounds.secretCharsMin} characters, got ${text.length}`,
    );
  return { type: "text", text };
}
