import { type Limits, limitsOf } from "../budget/window.ts";
import { bounds } from "../kernel/bounds.ts";
import { usualModel } from "../provider/usual-model.ts";
import { applyPlan } from "../reduction/apply-plan.ts";
import type { FoldBlock } from "../reduction/fold.ts";
import { type Plan, plan } from "../reduction/plan.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import type { Block } from "./recording.ts";
import type { Decision, Moment, SessionFacts, Shown, Strategy, Terms } from "./strategy.ts";
import { shownFirst } from "./varve-forms.ts";
import { clippedLine, foldLine, type Line, lineOf, memoOf, segmentsOf } from "./varve-lines.ts";
import { openMeter } from "./varve-meter.ts";

/** What the product does to a prompt today, and each part left out once, to see what it is worth. */
export const varveStrategies: readonly Strategy[] = [
  varve("varve", { forms: "on", fold: "on" }),
  varve("varve-no-forms", { forms: "off", fold: "on" }),
  varve("varve-no-fold", { forms: "on", fold: "off" }),
];

/** `forms`: first forms of results. `fold`: what `plan` takes away when the window fills. */
type Parts = Readonly<Record<"forms" | "fold", "on" | "off">>;

/**
 * The product's own functions on a recorded session: first forms when a result is first shown, then before every call the
 * forecast against the hard line and `plan`. What was decided stays as it is until the next break (law 2).
 */
function varve(name: string, parts: Parts): Strategy {
  return { name, knowsWindow: true, open: (terms, session) => openSession(parts, terms, session) };
}

function openSession(parts: Parts, terms: Terms, session: SessionFacts): (moment: Moment) => Decision {
  const inputs = new Map<string | null, string>();
  const covers = newCovers();
  const meter = openMeter(terms.headTokens);
  let lines: readonly Line[] = [];
  let known = 0;

  return ({ n, blocks, restarted }) => {
    const stands = restarted ? [] : lines;
    lines = [...stands, ...blocks.slice(restarted ? 0 : known).map(firstLine)];
    known = blocks.length;
    const before = lines;
    if (parts.fold === "on") lines = fitted(lines, limitsFor(session.calls[n]?.model ?? "", terms.windowTokens));
    const gone = goneOf(before, lines).filter(meter.wasSent);
    meter.sent(lines);
    return {
      shown: lines.map(({ shown }) => shown),
      break: gone.length > 0 ? "compacted" : null,
      calls: [],
      reasoningTokensLost: gone.reduce((sum, { shown }) => sum + (shown.kind === "reasoning" ? shown.tokens : 0), 0),
    };
  };

  function firstLine(block: Block): Line {
    if (block.kind === "tool-call") inputs.set(block.callId, block.text);
    if (parts.forms === "off" || block.kind !== "tool-result") return lineOf(block, block.text, terms);
    const form = shownFirst(block.text, block.tool ?? "", inputs.get(block.callId) ?? "");
    return lineOf(block, form.text, terms);
  }

  /** Asked again after each step, as the agent does, for an estimate may have been too low. */
  function fitted(whole: readonly Line[], { lineTokens }: Limits): readonly Line[] {
    let left = whole;
    for (let folds = 0; folds < bounds.foldsInARowMax && meter.sizeOf(left) > lineTokens; folds++) {
      const next = planned(left, lineTokens);
      if (next.type === "nothing") break;
      left = applyPlan(left, next, {
        clipped: (line, { text }) => clippedLine(line, text, terms),
        folded: (block) => foldLine(block, handlesOf(block, whole), terms),
      });
    }
    return left;
  }

  function planned(left: readonly Line[], lineTokens: number): Plan {
    const memo = memoOf(left, tokensOf, (line) => !meter.wasSent(line));
    return plan(segmentsOf(left), memo, {
      lineTokens,
      headTokens: terms.headTokens,
      closeLoop: false,
      reasoning: "bound",
    });
  }

  /** Each call of the list by its own handle where its line is shown, and all of them by the list's. */
  function handlesOf({ text, original }: FoldBlock, folded: readonly Line[]): Shown["handles"] {
    for (const line of folded) if (line.original !== null) covers.add(line.original.handle, [line.original.callId]);
    covers.add(
      original.handle,
      covers.in(original.text).flatMap(({ callIds }) => callIds),
    );
    return covers.in(text);
  }
}

function goneOf(before: readonly Line[], left: readonly Line[]): readonly Line[] {
  if (left === before) return [];
  const kept = new Set(left);
  return before.filter((line) => !kept.has(line));
}

/** What handles bring back. One handle may stand for several results with equal texts: each of them is brought back by it. */
function newCovers() {
  const covers = new Map<string, Shown["handles"][number]>();
  return {
    add: (handle: string, callIds: readonly string[]) => {
      const unique = [...new Set(callIds)];
      covers.set(`${handle} ${unique.length === 1 ? unique[0] : ""}`, { handle, callIds: unique });
    },
    in: (text: string) => [...covers.values()].filter(({ handle }) => text.includes(handle)),
  };
}

function limitsFor(model: string, windowTokens: number): Limits {
  const settings = { windowTokens };
  const { outputTokensMax } = usualModel(model, undefined, settings);
  return limitsOf({ model, settings, outputTokensMax });
}
