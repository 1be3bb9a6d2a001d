import type { Session } from "../src/agent/session.ts";
import type { ModelChoice } from "../src/log/entry.ts";
import type { Dice } from "./long-dice.ts";

export type LongChanges = {
  /** What the user does before a turn. */
  change(session: Session, turn: number, dice: Dice): Promise<void>;
  readonly counts: Record<string, number>;
};

const turnsBetweenModels = 90;
const factsMax = 9;

/** Facts come and go, models, efforts and wordiness change. */
export function longChanges(models: readonly ModelChoice[]): LongChanges {
  const counts: Record<string, number> = {};
  const facts = async (session: Session, turn: number, dice: Dice) => {
    const { active, proposed } = session.state().facts;
    const [oldest, second] = active;
    const [waiting] = proposed;
    const scope = "session";
    if (waiting !== undefined && active.length < factsMax)
      return dice.below(2) === 0
        ? await session.changeFacts({ type: "accept", fact: waiting.id, scope })
        : await session.changeFacts({ type: "refuse", fact: waiting.id });
    if (oldest === undefined || active.length < 3 || (active.length < factsMax && dice.below(2) === 0))
      return await session.changeFacts({ type: "pin", text: factOf(turn, dice), scope });
    if (second !== undefined && dice.below(4) === 0)
      return await session.changeFacts({ type: "merge", facts: [oldest.id, second.id], text: factOf(turn, dice) });
    return await session.changeFacts({ type: "retire", fact: oldest.id });
  };
  return {
    counts,
    async change(session, turn, dice) {
      if (turn % 9 === 2) {
        const { type } = await facts(session, turn, dice);
        counts[`facts ${type}`] = (counts[`facts ${type}`] ?? 0) + 1;
      }
      const model = models[Math.floor(turn / turnsBetweenModels) % models.length];
      if (model !== undefined && turn % turnsBetweenModels === 0 && turn > 0) {
        await session.chooseModel(model);
        counts.models = (counts.models ?? 0) + 1;
      }
      if (turn % 113 === 50) {
        await session.chooseVerbosity(dice.of(["low", "medium", "high"]));
        counts.verbosity = (counts.verbosity ?? 0) + 1;
      }
    },
  };
}

/** Each differs, and none is made to be easy: quotes, backslashes, signs of other scripts. */
function factOf(turn: number, dice: Dice): string {
  return dice.of([
    `Rule ${turn}: the port is ${3_000 + turn}, never 8080.`,
    `規則${turn}：設定は "config\\${turn}.json" だけを使う。🙂`,
    `Rule ${turn}: write <b>"${turn}"</b> & \`code\`, tabs\tnot blanks.`,
    `Rule ${turn}: ${"all of this long sentence holds. ".repeat(8)}`,
  ]);
}
