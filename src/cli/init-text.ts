import type { InitUndone } from "../adapters/init-undo.ts";
import { addedLines, type InitStep } from "../workspace/init-plan.ts";
import type { InitOutcome } from "./init-run.ts";

/** The plan for people: each file with the lines it gets, and what stays as it is. */
export function planText(steps: readonly InitStep[]): string {
  return steps
    .flatMap((step) => [lineOf(step, "would write"), ...(step.type === "write" ? added(step) : [])])
    .join("\n");
}

/** What was done, one line a file. */
export function outcomeText({ steps, written, answer }: InitOutcome): string {
  if (answer === "only looked at") return planText(steps);
  if (answer === "no") return "nothing was written";
  if (written?.type === "failed") return failedText(written);
  const lines = steps.map((step) => lineOf(step, "wrote"));
  const back =
    written === null ? [] : [`what was there before is in ${written.backup}; \`varve init --undo\` takes it back`];
  return [...lines, ...back].join("\n");
}

export function outcomeJson({ folder, steps, written, answer }: InitOutcome, notes: readonly string[]): string {
  const isWritten = written?.type === "written";
  const files = steps.map((step) => {
    const { path, what } = step;
    if (step.type !== "write") return { path, what, state: step.type, ...("why" in step ? { why: step.why } : {}) };
    const state = isWritten ? "written" : "would be written";
    return { path, what, state, isNew: step.before === null, lines: addedLines(step), notes: step.notes };
  });
  const failed = written?.type === "failed" ? { failed: written.why, left: written.left } : {};
  return JSON.stringify({ folder, answer, files, backup: isWritten ? written.backup : null, ...failed, notes });
}

export function undoneText(undone: InitUndone): string {
  if (undone.type === "none") return "there is no `varve init` of this folder to take back";
  const { restored, removed, left } = undone;
  return [
    ...restored.map((path) => `brought back ${path}`),
    ...removed.map((path) => `took away ${path}`),
    ...left.map(({ path, why }) => `left ${path} as it is: ${why}`),
  ].join("\n");
}

/** What somebody should know of the place, and of what the plan writes. */
export function notesFor({
  folder,
  repository,
  steps,
}: Pick<InitOutcome, "folder" | "repository" | "steps">): readonly string[] {
  const isGateway = steps.some((step) => step.type === "write" && step.path.endsWith("mcp.json"));
  return [
    ...(repository === null ? ["this is no git repository: only `varve init --undo` brings back what was there"] : []),
    ...(repository !== null && repository !== folder
      ? [`this is not the root of the repository, ${repository}: what is written holds for this folder`]
      : []),
    ...(isGateway ? ["`varve mcp` is not part of this version: until it is, the entry starts nothing"] : []),
  ];
}

function lineOf(step: InitStep, verb: string): string {
  const { path, what } = step;
  if (step.type === "write") {
    const isNew = step.before === null ? ", a new file" : "";
    return [`${verb} ${path}${isNew}: ${what}`, ...step.notes.map((note) => `    ${note}`)].join("\n");
  }
  if (step.type === "same") return `${path} has it already: ${what}`;
  return step.type === "left" ? `${path} stays as it is: ${step.why}` : `${path} cannot be written: ${step.why}`;
}

function added(step: Extract<InitStep, { readonly type: "write" }>): readonly string[] {
  return addedLines(step).map((line) => `  + ${line}`);
}

function failedText({ why, left }: { readonly why: string; readonly left: readonly string[] }): string {
  const rest = left.length === 0 ? "everything is as it was" : `not as before: ${left.join(", ")}`;
  return `could not write ${why}; ${rest}`;
}
