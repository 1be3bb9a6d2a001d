import { createInterface } from "node:readline/promises";
import { userHome } from "../adapters/environment.ts";
import { undoInit } from "../adapters/init-undo.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { folderFor, type InitAnswer, type InitFlags, type InitOutcome, type InitPlace, initRun } from "./init-run.ts";
import { notesFor, outcomeJson, outcomeText, planText, undoneText } from "./init-text.ts";
import { homeOf } from "./settings.ts";
import { endingInLine, printable, say } from "./terminal.ts";
import { isApproved } from "./trusted.ts";

/** `varve init`: sets a project up for a small context, and says beforehand what it would write. */
export async function runInit(flags: InitFlags): Promise<number> {
  const place = { cwd: process.cwd(), home: homeOf(process.env), user: userHome(), now: new Date() };
  if (flags.undo === true) return await runUndo(flags, place);
  const outcome = await initRun(flags, place, (plan) => answerFor(flags, plan));
  const notes = [...notesFor(outcome), ...(await approvalNotes(place, outcome))];
  for (const note of notes) say(`varve: ${note}`);
  print(flags.json === true ? outcomeJson(outcome, notes) : outcomeText(outcome));
  const isWhole = outcome.written?.type !== "failed" && outcome.steps.every(({ type }) => type !== "blocked");
  return isWhole ? exitCodes.done : exitCodes.failed;
}

async function runUndo(flags: InitFlags, place: InitPlace): Promise<number> {
  const { folder } = await folderFor(place);
  const undone = await undoInit({ folder, home: place.home });
  print(flags.json === true ? JSON.stringify(undone) : undoneText(undone));
  return undone.type === "undone" && undone.left.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Asked once, behind the whole plan; where nobody can be asked, a flag has to say it. */
async function answerFor(
  flags: InitFlags,
  plan: Pick<InitOutcome, "folder" | "repository" | "steps">,
): Promise<InitAnswer> {
  if (flags.dryRun === true) return "only looked at";
  if (flags.yes === true) return "yes";
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError("nobody is there to be asked: --dry-run shows what would be written, --yes writes it");
  say(planText(plan.steps));
  for (const note of notesFor(plan)) say(`varve: ${note}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // While a line is read the terminal hands Ctrl-C to the reader; it means the program.
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    const offer = "y: yes, d: yes, and docs/project-context.md and docs/decisions.md to be filled in [y/d/N] ";
    return answerIn((await terminal.question(`Write this? ${flags.docs === true ? "[y/N] " : offer}`)).trim());
  } catch (error) {
    // The terminal went away while the question stood.
    if (error instanceof Error && error.name === "AbortError") throw new CommandError("nothing was written");
    throw error;
  } finally {
    terminal.close();
  }
}

function answerIn(text: string): InitAnswer {
  if (/^d$/i.test(text)) return "with documents";
  return /^y(es)?$/i.test(text) ? "yes" : "no";
}

/** An approval is of a file's very content: one that gets a cap has to be approved again. */
async function approvalNotes({ cwd, home }: InitPlace, { steps, written }: InitOutcome): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const step of written?.type === "written" ? steps : []) {
    if (step.type !== "write" || step.before === null) continue;
    if (await isApproved(home, { path: `${cwd}/${step.path}`, text: step.before }))
      notes.push(`${step.path} was approved as it was before; \`varve trust\` approves it as it is now`);
  }
  return notes;
}

function print(text: string): void {
  process.stdout.write(endingInLine(printable(text)));
}
