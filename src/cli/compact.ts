import type { ModelChoice } from "../log/entry.ts";
import { type Chosen, chosenModel, modelAsItIs } from "./chosen-model.ts";
import {
  type Asked,
  type CompactFlags,
  modelOf,
  noModelFlag,
  reductionsOf,
  refused,
  whyNotNow,
} from "./compact-asked.ts";
import { askedBy } from "./compact-operands.ts";
import { previewed } from "./compact-preview.ts";
import { scopeOf } from "./compact-scope.ts";
import { compactedText } from "./compact-text.ts";
import { watchCompaction } from "./compact-watch.ts";
import { exitCodes, NoKeyError, UsageError } from "./exit.ts";
import { type Home, mainStream, openHome, sessionNamed, viewHome } from "./home.ts";
import { readModelsFile } from "./models-file.ts";
import { openedSession, stateOf } from "./open-session.ts";
import { onInterrupt } from "./print.ts";
import { homeOf } from "./settings.ts";

/** `varve compact`: finished work is summed up now, or shown with `--preview`; the result on stdout, progress on stderr. */
export async function runCompact(words: readonly string[], flags: CompactFlags): Promise<number> {
  const { part, focus } = askedBy(words);
  const noModel = noModelFlag(flags);
  if (focus !== "" && noModel !== null)
    throw new UsageError(`${noModel}: without a model nobody reads the focus "${focus}"`);
  const root = homeOf(process.env);
  const home = await (flags.preview === true ? viewHome : openHome)(root, process.cwd());
  const session = await sessionNamed(home, flags.session);
  const state = await stateOf(home, session);
  const why = whyNotNow(state);
  if (why !== null) return refused(session, why, flags);
  ownModelOnly(flags, modelOf(state));
  const entries = () => home.stores.log.read(mainStream(session), null);
  const asked = { session, state, part, scope: await scopeOf(part, state, entries), focus };
  return flags.preview === true ? await previewed(home, asked, flags) : await compact(home, asked, flags);
}

async function compact(home: Home, asked: Asked, flags: CompactFlags): Promise<number> {
  const { session, state, scope, focus } = asked;
  const { model: _, ...others } = flags;
  const open = await openedSession(others, home, {
    before: state,
    chosen: () => chosen(home, flags, modelOf(state)),
    open: { type: "resume", session },
    ...reductionsOf(flags),
  });
  let isStopped = false;
  const unhook = onInterrupt(open, () => {
    isStopped = true;
  });
  try {
    const seen = watchCompaction(open, (await readModelsFile(home.root)).prices);
    const result = await open.compact({ scope, focus });
    if (result.type === "refused")
      return isStopped
        ? refused(session, `stopped: nothing was taken away (${result.why})`, flags, exitCodes.interrupted)
        : refused(session, result.why, flags);
    process.stdout.write(
      flags.json === true ? `${JSON.stringify({ ...result, session, ...seen() })}\n` : compactedText(result, seen()),
    );
    return exitCodes.done;
  } finally {
    unhook();
    await open.close();
  }
}

/**
 * The session's own model and no other: its provider has the history in its cache, and a change of model is a break of its
 * own, which a compaction does not make in passing.
 */
function ownModelOnly({ model, wire }: CompactFlags, before: ModelChoice): void {
  if (model === false) return;
  for (const [flag, given, own] of [
    ["--model", model, before.model],
    ["--wire", wire, before.wire],
  ] as const)
    if (given !== undefined && given !== own)
      throw new UsageError(
        `${flag} ${given}: a compaction asks the session's own model, ${before.model} (${before.wire})`,
      );
}

async function chosen(home: Home, flags: CompactFlags, before: ModelChoice): Promise<Chosen> {
  const { model: _, wire: __, ...rest } = flags;
  if (noModelFlag(flags) !== null) return await modelAsItIs(flags, home.root, before);
  try {
    return await chosenModel(rest, home.root, before, { ...process.env, VARVE_MODEL: undefined });
  } catch (error) {
    if (!(error instanceof NoKeyError)) throw error;
    throw new UsageError(`${error.message}\n\`varve compact --no-model\` folds the work into a list without a model.`);
  }
}
