import { bounds } from "../kernel/bounds.ts";
import type { EntryBody } from "../log/entry.ts";
import type { FactState } from "../log/facts.ts";
import { factWords } from "./facts.ts";
import { isRuleChinese, isRuleEnglish } from "./rule-patterns.ts";
import { sentencesOf } from "./sentences.ts";

/** Rules a user's message states, by the user's own words. Precision first: what may be no rule is none. */
export function rulesIn(message: string): readonly string[] {
  const sentences = sentencesOf(message.slice(0, bounds.factMessageCharsMax));
  const rules = sentences.filter(({ bare }) =>
    /\p{Script=Han}/u.test(bare) ? isRuleChinese(bare) : isRuleEnglish(bare),
  );
  return rules.slice(0, bounds.factsPerMessageMax).map(({ text }) => text);
}

/** Words proposed as facts, but for those that are in force, wait for an answer or were refused. */
export function proposals(facts: FactState, texts: readonly string[], by: "user" | "agent"): readonly EntryBody[] {
  const known = new Set([...facts.active, ...facts.proposed].map(({ id }) => id));
  for (const id of facts.refused) known.add(id);
  return texts.flatMap((given): readonly EntryBody[] => {
    const words = factWords(given);
    if (words.type === "bad" || known.has(words.id)) return [];
    known.add(words.id);
    return [{ type: "fact-proposed", fact: words.id, text: words.text, by }];
  });
}
