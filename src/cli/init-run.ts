import { locate } from "../adapters/fs-locate.ts";
import { type InitFolder, initFolder, lookAtFiles } from "../adapters/init-files.ts";
import { type InitWritten, type WriteStep, writeInit } from "../adapters/init-write.ts";
import {
  documentSteps,
  type InitStep,
  type InitTarget,
  type InitWish,
  initPaths,
  initPlan,
  initTargets,
} from "../workspace/init-plan.ts";
import { UsageError } from "./exit.ts";

export type InitFlags = {
  readonly for?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly gateway?: boolean;
  readonly docs?: boolean;
  readonly undo?: boolean;
};

export type InitPlace = {
  readonly cwd: string;
  readonly home: string;
  /** The user's own folder, which is no project. */
  readonly user: string;
  readonly now: Date;
};

/** What is to become of a plan; `with documents`: and of the two documents that are offered beside it. */
export type InitAnswer = "yes" | "with documents" | "no" | "only looked at";

export type InitOutcome = {
  readonly folder: string;
  readonly repository: string | null;
  readonly steps: readonly InitStep[];
  /** null: nothing was to be written, or nobody wanted it. */
  readonly written: InitWritten | null;
  readonly answer: InitAnswer;
};

/** Looks, plans, asks where something would be written, and writes. */
export async function initRun(
  flags: InitFlags,
  place: InitPlace,
  ask: (plan: Pick<InitOutcome, "folder" | "repository" | "steps">) => Promise<InitAnswer>,
): Promise<InitOutcome> {
  const wish = wishOf(flags);
  const { folder, repository } = await folderFor(place);
  const found = await lookAtFiles(folder, initPaths);
  const plan = initPlan(wish, found);
  const answer = writesOf(plan).length === 0 ? "yes" : await ask({ folder, repository, steps: plan });
  const steps = answer === "with documents" && wish.documents !== "written" ? [...plan, ...documentSteps(found)] : plan;
  const writes = writesOf(steps);
  const isWanted = answer === "yes" || answer === "with documents";
  const written = isWanted && writes.length > 0 ? await writeInit({ ...place, folder }, writes) : null;
  return { folder, repository, steps, written, answer };
}

export function writesOf(steps: readonly InitStep[]): readonly WriteStep[] {
  return steps.filter((step) => step.type === "write");
}

/** The home folder's files are the user's for every project: `~/.claude/settings.json` is not ours to fill. */
export async function folderFor({ cwd, user }: Pick<InitPlace, "cwd" | "user">): Promise<InitFolder> {
  const found = await initFolder(cwd);
  const home = await locate(user);
  if (home.type !== "unusable" && home.path === found.folder)
    throw new UsageError("this is your home folder; go to a project's folder first");
  return found;
}

function wishOf(flags: InitFlags): InitWish {
  return {
    targets: flags.for === undefined ? null : targetsIn(flags.for),
    gateway: flags.gateway === true ? "written" : "left out",
    documents: flags.docs === true ? "written" : "left out",
  };
}

function targetsIn(text: string): readonly InitTarget[] {
  const names = text.split(",").map((name) => name.trim());
  return names.map((name) => {
    const target = initTargets.find((one) => one === name);
    if (target === undefined) throw new UsageError(`--for: expected some of ${initTargets.join(",")}; got "${name}"`);
    return target;
  });
}
