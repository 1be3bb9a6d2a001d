import { Command, CommanderError } from "commander";
import { explain } from "../adapters/fs-error.ts";
import { version } from "../version.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { addMcpCommands } from "./mcp-commands.ts";
import type { PrintFlags } from "./print.ts";
import { addSessionCommands } from "./session-commands.ts";
import { say } from "./terminal.ts";

/** Reads the arguments, runs one command, and turns what went wrong into a line and an exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let code: number = exitCodes.done;
  process.stdout.on("error", onBrokenPipe);
  const program = programOf((result) => {
    code = result;
  });
  try {
    await program.parseAsync(helpAsOption(argv));
    return code;
  } catch (error) {
    return reported(error);
  }
}

/** `varve help log` is `varve log --help`: each command, the simulator too, has its own help. */
function helpAsOption(argv: readonly string[]): string[] {
  const [node = "", script = "", first, ...rest] = argv;
  return first === "help" ? [node, script, ...rest, "--help"] : [...argv];
}

type Done = (code: number) => void;
type RootFlags = PrintFlags & { readonly dumpSystemPrompt?: boolean; readonly turn?: string };

function programOf(done: Done): Command {
  const program = new Command("varve")
    .description("A coding agent whose context never rots.")
    .version(version, "-V, --version")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "varve: ")) })
    .addHelpText("after", helpEnd)
    .argument("[prompt]", "the prompt, when other options stand between -p and it")
    .option("-p, --print [prompt]", "run one turn without a screen; stdin is added to the prompt")
    .option("--output-format <format>", "text, json or stream-json")
    .option("-c, --continue", "go on with the newest session of this project")
    .option("-r, --resume <session>", "go on with a session by its id")
    .option("--fork", "with --continue or --resume: go on in a copy")
    .option("--model <id>", "model to use")
    .option("--wire <wire>", "anthropic, responses, gemini or chat (OpenAI-style); guessed from the model")
    .option("--base-url <url>", "address of the provider or of a server of your own")
    .option("--effort <level>", "low, medium, high, xhigh or max")
    .option("--verbosity <level>", "low, medium or high: how much the assistant says")
    .option(
      "--output-style <name>",
      "how the assistant writes: default, brief, explanatory, learning, or one of your own",
    )
    .option("--window <tokens>", "the model's window, where it is not known")
    .option("--memory <policy>", "auto (default), epochs or window: how the window is kept (docs/memory-window.md)")
    .option("--max-turns <n>", "model calls before the turn stops with exit code 3 (500)")
    .option(
      "--clearing <who>",
      "ours (default), provider or off: who clears results that are done with (docs/compaction.md)",
    )
    .option("--summaries <who>", "model (default), provider or off: who sums finished work up (docs/compaction.md)")
    .option("--permission-mode <mode>", "default, acceptEdits, plan, dontAsk or bypassPermissions")
    .option("--settings <file-or-json>", "more settings, a file or JSON (see docs/permissions.md)")
    .option("--allowed-tools <rules...>", 'what runs unasked, as "Bash(npm test:*)"; put it behind the prompt')
    .option("--disallowed-tools <rules...>", 'what never runs, as "Read(./secrets/**)"')
    .option("--sandbox <mode>", "off (default), auto or on: run commands confined (see docs/security.md)")
    .option("--trust-project", "for this run, let the project's own settings allow what they allow")
    .option("--assembly <mode>", "append (default), boundary or boundary-forced: how changing facts reach the model")
    .option("--dump-system-prompt", "print the system prompt exactly as sent, and its sizes on stderr")
    .option("--turn <n>", "with --dump-system-prompt: as sent with the n-th request of the session")
    .action(async (operand: string | undefined, given: RootFlags) => {
      const flags = operand === undefined ? given : { ...given, print: promptOf(given.print, operand) };
      if (flags.dumpSystemPrompt === true) return done(await (await import("./dump.ts")).runDump(flags));
      if (flags.print !== undefined || !process.stdin.isTTY)
        return done(await (await import("./print.ts")).runPrint(flags));
      program.outputHelp({ error: true });
      return done(exitCodes.usage);
    });
  addSessionCommands(program, done);
  addModelCommands(program, done);
  addTrust(program, done);
  addMcpCommands(program, done);
  addSimulated(program, done);
  return program;
}

const helpEnd = `
\`varve COMMAND --help\` lists the options of a command.
Exit codes: 0 done; 1 failed, or damage found; 2 wrong usage; 3 turn limit;
4 permission refused; 5 the provider gave up; 130 interrupted.`;

/** `-p --continue "text"` and `-p "text" --continue` say the same. Without `-p` a bare word is a mistyped command. */
function promptOf(print: string | boolean | undefined, operand: string): string {
  if (print === true) return operand;
  if (print === undefined)
    throw new UsageError(`unknown command "${operand}"; \`varve --help\` lists them, and a prompt needs -p`);
  throw new UsageError(`two prompts, "${print}" and "${operand}": put one into quotes`);
}

function addModelCommands(program: Command, done: Done): void {
  program
    .command("models [name]")
    .description("what is known of models: windows, longest answers, prices, and where each comes from")
    .option("--json", "one JSON object")
    .option("--at <day>", "prices at another day or time, as 2026-12-01")
    .option("--refresh", "ask the providers that are set up for their own listing first, and keep it")
    .option("--base-url <url>", "with --refresh: a server of your own")
    .option("--wire <wire>", "with --refresh: the wire of that server, chat when not given")
    .action(async (name, flags) => done(await (await import("./models.ts")).runModels(name, flags)));
  program
    .command("doctor")
    .description("checks what a session needs: Node, programs, home, settings, keys, providers and their limits")
    .option("--json", "one JSON object")
    .option("--base-url <url>", "a server of your own to look at")
    .option("--wire <wire>", "the wire of that server, chat when not given")
    .action(async (flags) => done(await (await import("./doctor.ts")).runDoctor(flags)));
}

function addTrust(program: Command, done: Done): void {
  program
    .command("trust")
    .description("show what this project's settings and servers may do, and approve these very contents")
    .option("--yes", "approve without asking")
    .action(async (flags) => done(await (await import("./permissions.ts")).runTrust(flags)));
  program
    .command("hooks")
    .description("commands of your settings that are told of what happens in a session (docs/hooks.md)")
    .option("--json", "one JSON object")
    .action(async (flags) => done(await (await import("./hooks.ts")).runHooks(flags)));
}

function addSimulated(program: Command, done: Done): void {
  program
    .command("demo")
    .description("a whole session against a simulated provider: real tools, real files, no key")
    .option("--json", "one JSON object on stdout")
    .option("--base-url <url>", "use a simulator that is already running")
    .option("--work <folder>", "where the sample project is copied to; kept afterwards")
    .option("--home <folder>", "where the session is kept")
    .option("--wire <wire>", "anthropic (default), responses, gemini or chat")
    .option(
      "--window <tokens>",
      "window of the simulated model; 200000 when not given, 80000 with --short or --browser",
    )
    .option("--short", "a short task without the sample's tests")
    .option("--browser", "a login page, made and then looked at in a browser (needs Chromium)")
    .action(async (flags) => done(await (await import("./demo/demo.ts")).runDemo(flags)));
  program
    .command("simulate")
    .description("the provider simulator as a process of its own (see docs/simulator.md)")
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .passThroughOptions()
    .argument("[args...]")
    .action(async (args: readonly string[]) => done(await (await import("./simulate.ts")).runSimulate(args)));
}

/** The reader of our output went away: nothing is wrong, there is just nobody to write for. A full disk is said. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCodes.done);
  say(`varve: the output could not be written: ${explain(error)}`);
  process.exit(exitCodes.failed);
}

function reported(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const message = error instanceof Error ? error.message : String(error);
  say(`varve: ${message}`);
  if (error instanceof UsageError) return exitCodes.usage;
  if (!(error instanceof CommandError) && error instanceof Error && process.env.VARVE_DEBUG) say(error.stack ?? "");
  return exitCodes.failed;
}
