import type { Output } from "./digest-data.ts";
import { readingOf } from "./questions/reading.ts";
import { questionsFor } from "./questions/types.ts";

export type Answers = {
  /** Questions that the original answers. */
  readonly asked: number;
  /** Of these, what the other text answers alike. */
  readonly right: number;
  /** Questions that the other text answers in another way, as no text may. */
  readonly wrong: readonly Wrong[];
};

export type Wrong = {
  readonly id: string;
  readonly question: string;
  readonly original: string | null;
  readonly shown: string;
};

/** Every question of the output's type, put to the original and to what stands in its place. */
export function answersOf(output: Pick<Output, "id" | "type" | "text">, shown: string): Answers {
  const [original, other] = [readingOf(output.text), readingOf(shown)];
  let asked = 0;
  let right = 0;
  const wrong: Wrong[] = [];
  for (const { name, answer } of questionsFor(output.type)) {
    const told = answer(original);
    const said = answer(other);
    if (told !== null) asked += 1;
    if (said === null) continue;
    if (said === told) right += 1;
    else wrong.push({ id: output.id, question: name, original: told, shown: said });
  }
  return { asked, right, wrong };
}
