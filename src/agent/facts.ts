import { windowOf } from "../budget/window.ts";
import { own } from "../kernel/own.ts";
import type { Text } from "../log/block.ts";
import type { EntryBody } from "../log/entry.ts";
import type { Fact } from "../log/facts.ts";
import { pendingPieces } from "../log/reduce.ts";
import { shownIn } from "../log/shown.ts";
import type { State } from "../log/state.ts";
import type { FactSetting } from "../memory/fact-commands.ts";
import { mirrored } from "../memory/project-facts.ts";
import { factsText, factsUnseen, stillSaid } from "../prompt/facts.ts";
import type { AgentConfig } from "./config.ts";
import type { Effects } from "./effects.ts";
import type { Lane } from "./lane.ts";
import type { TextCache } from "./texts.ts";

/** What other sessions did to the project's facts since this one looked last. */
export async function projectNews(state: State, fx: Pick<Effects, "projectFacts">): Promise<readonly EntryBody[]> {
  if (state.started === null || state.started.project === null) return [];
  const project = await fx.projectFacts();
  return project === null ? [] : mirrored(state.facts, project, { isShown: isShown(state) });
}

export function settingOf(state: State, { windowFor }: Pick<AgentConfig, "windowFor">): FactSetting {
  const { model } = state;
  if (model === null) return { windowTokens: null, isShown: isShown(state) };
  const { windowTokens } = windowOf({
    model: model.model,
    learned: own(state.limits, model.model) ?? null,
    settings: windowFor(model.model),
    listed: own(state.described, model.model) ?? null,
  });
  return { windowTokens, isShown: isShown(state) };
}

function isShown({ epoch }: State): boolean {
  return epoch !== null;
}

export function factsDue(lane: Lane): readonly Fact[] {
  const state = lane.state();
  const { active } = state.facts;
  if (active.length === 0) return [];
  const pending = new Set(pendingPieces(state).map(({ id }) => id));
  return factsUnseen(active, lane.prompt().doc.pieces, ({ id }) => pending.has(id));
}

export async function showFacts(lane: Lane): Promise<readonly EntryBody[]> {
  return [{ type: "facts-shown", text: await lane.texts.keep(factsText(factsDue(lane))) }];
}

/** All facts in force, for the front of an epoch; and those retired whose words stand in what the epoch may keep. */
export async function factsBlock(state: State, texts: TextCache): Promise<{ readonly facts?: Text }> {
  const { active, retired } = state.facts;
  const gone = retired.length === 0 ? [] : stillSaid(retired, await saidTexts(state, texts));
  if (active.length === 0 && gone.length === 0) return {};
  return { facts: await texts.keep(factsText(active, gone)) };
}

async function saidTexts(state: State, texts: TextCache): Promise<readonly string[]> {
  const said = shownIn(state).flatMap((piece) =>
    piece.role === "user" && (piece.kind === "message" || piece.kind === "fold") && piece.block.type === "text"
      ? [piece.block.text]
      : [],
  );
  return (await Promise.all(said.map((text) => texts.read(text)))).filter((text) => text !== null);
}
