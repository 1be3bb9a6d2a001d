import { type Limits, limitsOf } from "../budget/window.ts";
import { bounds } from "../kernel/bounds.ts";
import { usualModel } from "../provider/usual-model.ts";
import { applyPlan } from "../reduction/apply-plan.ts";
import { type Costs, isCertainlyCold } from "../reduction/costs.ts";
import { type Plan, plan } from "../reduction/plan.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import type { Decision, Moment, SessionFacts, Strategy, Terms } from "./strategy.ts";
import { newCovers } from "./varve-covers.ts";
import { openForms } from "./varve-forms.ts";
import { clippedLine, foldLine, type Line, memoOf, pointedLine, segmentsOf, shownResults } from "./varve-lines.ts";
import { openMeter } from "./varve-meter.ts";

/** `varve` is what the agent does to a prompt; then each part of it left out once. */
export const varveStrategies: readonly Strategy[] = [
  varve("varve", {}),
  varve("varve-no-forms", { forms: "off" }),
  varve("varve-no-pointers", { pointers: "off" }),
  varve("varve-no-clear", { clearing: "off" }),
  varve("varve-no-inputs", { clearing: "results" }),
  varve("varve-no-collapse", { collapsing: "off" }),
  varve("varve-no-fold", { folding: "off" }),
];

/** `forms`: first forms of results; the others are what `plan` may do. */
type Parts = { readonly forms?: "off"; readonly pointers?: "off"; readonly clearing?: Costs["clearing"] } & Pick<
  Costs,
  "collapsing" | "folding"
>;

/**
 * The product's own functions on a recorded session: first forms when a result is first shown, then before every call the
 * forecast against the hard line and `plan`. What was decided stays as it is until the next break (law 2).
 */
export function varve(name: string, parts: Parts): Strategy {
  return { name, knowsWindow: true, open: (terms, session) => openSession(parts, terms, session) };
}

function openSession(parts: Parts, terms: Terms, session: SessionFacts): (moment: Moment) => Decision {
  const firstLine = openForms(terms, { forms: parts.forms ?? "on", pointers: parts.pointers ?? "on" });
  const covers = newCovers();
  const meter = openMeter(terms.headTokens);
  let lines: readonly Line[] = [];
  let known = 0;

  return ({ n, blocks, restarted, idleMs }) => {
    const stands = restarted ? [] : lines;
    const shown = shownResults(stands);
    lines = [...stands, ...blocks.slice(restarted ? 0 : known).map((block) => firstLine(block, shown))];
    known = blocks.length;
    const before = lines;
    const cache = isCertainlyCold(idleMs, terms.lifetimeMs) ? "cold" : "warm";
    const { left, reason } = fitted(lines, limitsFor(session.calls[n]?.model ?? "", terms.windowTokens), cache);
    lines = left;
    const gone = goneOf(before, lines).filter(meter.wasSent);
    meter.sent(lines);
    return {
      shown: lines.map(({ shown }) => shown),
      break: gone.length > 0 ? reason : null,
      calls: [],
      reasoningTokensLost: gone.reduce((sum, { shown }) => sum + (shown.kind === "reasoning" ? shown.tokens : 0), 0),
    };
  };

  /** Over the hard line asked again after each step, as the agent does, for an estimate may have been too low. */
  function fitted(whole: readonly Line[], limits: Limits, cache: Costs["cache"]): Fitted {
    let left = whole;
    let reason: Fitted["reason"] = null;
    for (let round = 0; round < bounds.foldsInARowMax; round++) {
      const pressure = pressureOn(meter.sizeOf(left), limits);
      if (round > 0 && pressure !== "hard") break;
      const next = planned(left, { lineTokens: limits.lineTokens, cache, pressure });
      if (next.type === "nothing") break;
      if (next.type === "break") reason = next.reason;
      left = applyPlan(left, next, {
        clipped: (line, { text }) => clippedLine(line, text, terms),
        cleared: (line, { text }) => clippedLine(line, text, terms),
        written: (line, one) => pointedLine(line, one, terms),
        folded: (block) => foldLine(block, covers.handlesOf(block, whole), terms),
      });
    }
    return { left, reason };
  }

  function planned(left: readonly Line[], at: Pick<Costs, "lineTokens" | "cache" | "pressure">): Plan {
    const { forms: _, pointers: __, clearing = "all", ...others } = parts;
    const memo = memoOf(left, tokensOf, (line) => !meter.wasSent(line));
    return plan(segmentsOf(left), memo, {
      ...at,
      ...others,
      headTokens: terms.headTokens,
      closeLoop: false,
      reasoning: "bound",
      clearing,
      prices: { type: "known", rates: terms.prices },
      tier: null,
    });
  }
}

type Fitted = {
  readonly left: readonly Line[];
  readonly reason: Extract<Plan, { readonly type: "break" }>["reason"] | null;
};

function pressureOn(tokens: number, { autoTokens, lineTokens }: Limits): Costs["pressure"] {
  if (tokens > lineTokens) return "hard";
  return tokens > autoTokens ? "near" : "none";
}

function goneOf(before: readonly Line[], left: readonly Line[]): readonly Line[] {
  if (left === before) return [];
  const kept = new Set(left);
  return before.filter((line) => !kept.has(line));
}

function limitsFor(model: string, windowTokens: number): Limits {
  const settings = { windowTokens };
  const { outputTokensMax } = usualModel(model, undefined, settings);
  return limitsOf({ model, settings, outputTokensMax });
}
