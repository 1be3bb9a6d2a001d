import type { Command } from "commander";

/** Commands that look at sessions: each is loaded when it is wanted. */
export function addSessionCommands(program: Command, done: (code: number) => void): void {
  program
    .command("log [session]")
    .description("entries of a session, the newest one of this project when none is named")
    .option("--list", "sessions of this project")
    .option("--all", "with --list: sessions of every project")
    .option("--verify", "check every line; exit code 1 when something is damaged")
    .option("--json", "one JSON object per entry")
    .action(async (session, flags) => done(await (await import("./log.ts")).runLog(session, flags)));
  program.commands
    .find((command) => command.name() === "log")
    ?.command("redact [handle]")
    .description("take a leaked secret out of a session: rewrites its log, once and loudly (see docs/security.md)")
    .option("--text-from-stdin", "the secret itself, on stdin; it is taken out wherever it stands")
    .option("--session <session>", "session to look in; the newest one of this project when none is named")
    .action(async (handle, flags) => done(await (await import("./log-redact.ts")).runRedact(handle, flags)));
  program
    .command("context [session]")
    .description("what fills the window, by category and by item, and what each request cost")
    .option("--json", "one JSON object")
    .option("--window <tokens>", "the model's window, where it is not known")
    .action(async (session, flags) => done(await (await import("./context.ts")).runContext(session, flags)));
  program
    .command("audit [paths...]")
    .description("what sessions held and cost, of Varve and of other agents; all of this machine when none is named")
    .option("--json", "one JSON object")
    .option("--svg <file>", "write a picture of the window over time")
    .option("--session <text>", "only sessions whose id or file holds this text")
    .option("--since <day>", "only sessions that went on that day or later, as 2026-11-30")
    .option("--days <n>", "only sessions of the last days")
    .option("--top <n>", "rows of each list (10)")
    .option("--quiet", "no progress, and no warnings on stderr")
    .action(async (paths, flags) => done(await (await import("./audit.ts")).runAudit(paths, flags)));
  program
    .command("facts [action] [args...]")
    .usage("[list | pin TEXT | retire ID | merge ID ID TEXT | accept ID | refuse ID]")
    .description("rules and decisions the agent sees word for word in every request, until you retire them")
    .option("--project", "pin, accept or merge for all sessions of the project, not for this one alone")
    .option("--session <session>", "session to look in; the newest one of this project when none is named")
    .option("--json", "one JSON object")
    .action(async (action, args, flags) =>
      done(await (await import("./facts.ts")).runFacts(action ?? "list", args, flags)),
    );
  program
    .command("recall [words...]")
    .usage("HANDLE [lines A-B | path JSONPATH | grep RE | search WORDS]\n       varve recall search WORDS")
    .description("an original by its handle, exactly as it was, or a part of it; or what a session holds of some words")
    .option(
      "--session <session>",
      "session to look in; for a handle all of this project, for words the newest when none is named",
    )
    .option("--lines <range>", "lines, as 10-20")
    .option("--json-path <path>", "a part of a JSON original, as $.items[0].name")
    .option("--grep <regex>", "lines that match, with their numbers")
    .option("--search <words>", "lines that hold this text or these words; without a handle, originals that do")
    .option("--from <n>", "for words without a handle: hits from that number on")
    .action(async (words, flags) => done(await (await import("./recall.ts")).runRecall(words, flags)));
}
