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
  program
    .command("search <words...>")
    .description(
      "what this project's docs, code and sessions say of some words or a question, with places (docs/search.md)",
    )
    .option("--in <source>", "docs, code or sessions; all of them when not given")
    .option("--limit <n>", "fragments (6; at most 20)")
    .option("--json", "one JSON object")
    .option("--rebuild", "make the index anew first")
    .option("--settings <file-or-json>", "more settings, a file or JSON (see docs/permissions.md)")
    .action(async (words, flags) => done(await (await import("./search.ts")).runSearch(words, flags)));
  addKeptCommands(program, done);
  addCompactCommands(program, done);
  addProjectCommands(program, done);
}

/** What outlives a session. */
function addKeptCommands(program: Command, done: (code: number) => void): void {
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
    .command("memory [action] [args...]")
    .usage("[list | show NAME | add TEXT | accept N|all [OTHER WORDS] | refuse N|all | remove NAME | path] [options]")
    .description("what is remembered beyond a session, in files, and what the agent proposes for it (docs/memory.md)")
    .option("--project", "of this project alone; add does so anyway")
    .option("--user", "the user's, for all projects")
    .option("--topic <words>", "with add: the file it belongs to; its own first words when not given")
    .option("--type <type>", "with add: user, feedback, project or reference")
    .option("--json", "one JSON object")
    .action(async (action, args, flags) =>
      done(await (await import("./memory.ts")).runMemory(action ?? "list", args, flags)),
    );
}

function addCompactCommands(program: Command, done: (code: number) => void): void {
  program
    .command("compact [words...]")
    .usage("[from ENTRY | upto ENTRY] [focus words...] [options]")
    .description(
      "sum finished work up now: all of it, from an entry on, or up to one (docs/compaction.md); " +
        "ENTRY is a number as `varve log` shows it, the other words say what the summary is to be most exact about",
    )
    .option("--preview", "what would go and stay, and what it would cost; nothing is sent or written")
    .option("--session <session>", "session to compact; the newest one of this project when none is named")
    .option("--json", "one JSON object")
    .option("--model <id>", "the session's own model; any other is refused")
    .option("--no-model", "ask no model: fold the work into a list with a line per call")
    .option("--summaries <who>", "model (default), provider or off: who sums it up; off is as --no-model")
    .option("--clearing <who>", "ours (default), provider or off: who clears from then on")
    .option("--wire <wire>", "the wire of that model")
    .option("--base-url <url>", "address of the provider or of a server of your own")
    .option("--window <tokens>", "the model's window, where it is not known")
    .option("--settings <file-or-json>", "more settings, a file or JSON (see docs/permissions.md)")
    .option("--trust-project", "for this run, let the project's own settings allow what they allow")
    .action(async (words, flags) => done(await (await import("./compact.ts")).runCompact(words, flags)));
  program
    .command("undo")
    .description("bring back, as it was, what the newest compaction or collapse took away")
    .option("--session <session>", "session to look in; the newest one of this project when none is named")
    .option("--json", "one JSON object")
    .option("--window <tokens>", "the model's window, where it is not known")
    .action(async (flags) => done(await (await import("./undo.ts")).runUndo(flags)));
}

/** What sets a project up, and what holds in it. */
function addProjectCommands(program: Command, done: (code: number) => void): void {
  program
    .command("init")
    .description("set a project up for a small context: habits, caps, output limits (docs/init.md)")
    .option("--for <agents>", "some of claude-code,cursor,agents; those the project's files speak of when not given")
    .option("--docs", "and docs/project-context.md and docs/decisions.md, to be filled in")
    .option("--gateway", "and the entry of `varve mcp` for other agents, which a later version starts")
    .option("--yes", "write without asking")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--undo", "take the newest `varve init` of this folder back")
    .option("--json", "one JSON object")
    .action(async (flags) => done(await (await import("./init.ts")).runInit(flags)));
  program
    .command("config [key]")
    .description("every setting as it holds here, where it comes from, and what has no effect (docs/config.md)")
    .option("--json", "one JSON object")
    .option("--model <id>", "as a session with these flags would have it; so are those below")
    .option("--wire <wire>")
    .option("--base-url <url>")
    .option("--effort <level>")
    .option("--verbosity <level>")
    .option("--output-style <name>")
    .option("--window <tokens>")
    .option("--memory <policy>")
    .option("--max-turns <n>")
    .option("--clearing <who>")
    .option("--summaries <who>")
    .option("--assembly <mode>")
    .option("--permission-mode <mode>")
    .option("--settings <file-or-json>")
    .option("--allowed-tools <rules...>")
    .option("--disallowed-tools <rules...>")
    .option("--sandbox <mode>")
    .option("--trust-project")
    .action(async (key, flags) => done(await (await import("./config.ts")).runConfig(key, flags)));
}
