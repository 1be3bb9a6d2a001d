import type { RuleInput } from "./rule.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Part = Readonly<Record<string, unknown>>;

/** Contents as the model reads them: those of the cached content first, then the request's own. */
export function contentsOf(input: Pick<RuleInput, "body" | "stored">): readonly Part[] {
  return [...listOf(input.stored?.body.contents), ...listOf(input.body.contents)].map(recordOf);
}

export function partsOf(content: Part | undefined): readonly Part[] {
  return listOf(content?.parts).map(recordOf);
}

export function callsIn(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => part.functionCall !== undefined);
}

export function responsesIn(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => part.functionResponse !== undefined);
}

export type Turn = { readonly role: string; readonly at: number; readonly parts: readonly Part[] };

/** Neighbours of role model are one turn, cut or not; each content of the user stands for itself. */
export function turnsOf(contents: readonly Part[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [at, content] of contents.entries()) {
    const role = textOf(content.role);
    const last = turns.at(-1);
    if (role === "model" && last?.role === "model")
      turns[turns.length - 1] = { ...last, parts: [...last.parts, ...partsOf(content)] };
    else turns.push({ role, at, parts: partsOf(content) });
  }
  return turns;
}

/** Where the current turn begins: behind the newest text of the user that does not accompany responses (PROTOCOLS C.2). */
export function currentTurn(turns: readonly Turn[]): number {
  const start = turns.findLastIndex(({ role, parts }) => role === "user" && responsesIn(parts).length === 0);
  return start + 1;
}
