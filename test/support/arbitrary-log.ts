import fc from "fast-check";
import { type Answer, anyText, arbitraryAnswer } from "./arbitrary-answer.ts";
import { arbitraryText } from "./arbitrary-doc.ts";
import { foundTools } from "./found-tools.ts";

/** What happens to a session, one thing after another. */
export type Move =
  | { readonly type: "step"; readonly answer: Answer; readonly results: readonly Result[]; readonly trouble: Trouble }
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "observe"; readonly key: "date" | "git" | "shell"; readonly text: string }
  | { readonly type: "mode"; readonly mode: "plan" | "acceptEdits" | "default" }
  | { readonly type: "fold" }
  /** A compaction that the provider makes, where its model can; `text` is what it says. */
  | { readonly type: "summed"; readonly text: string }
  /** Accepts what the user's newest message says (`said`), or pins words of its own. */
  | { readonly type: "pin"; readonly text: string; readonly said: boolean }
  | { readonly type: "retire"; readonly at: number }
  | { readonly type: "model"; readonly at: number }
  | { readonly type: "damage" }
  | { readonly type: "interrupt" };

export type Trouble = "none" | "broken" | "interrupted" | "restart" | "restart-in-call";
export type Result = {
  readonly output: string;
  readonly ending: "done" | "failed" | "refused" | "timed-out";
  readonly image: boolean;
  readonly form: "output" | "whole" | "short";
  /** Whether it comes before or behind the results of the calls beside it. */
  readonly late: boolean;
  /** Of a search for tools, what it finds: places in `foundTools`. */
  readonly found: readonly number[];
};

const result: fc.Arbitrary<Result> = fc.record({
  output: anyText,
  ending: fc.constantFrom("done", "done", "failed", "refused", "timed-out"),
  image: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
  form: fc.constantFrom("output", "whole", "short"),
  late: fc.boolean(),
  found: fc.array(fc.nat(foundTools.length - 1), { maxLength: 3 }),
});

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    arbitrary: fc.record({
      type: fc.constant("step" as const),
      answer: arbitraryAnswer,
      results: fc.array(result, { minLength: 4, maxLength: 4 }),
      trouble: fc.constantFrom<Trouble>(
        "none",
        "none",
        "none",
        "none",
        "broken",
        "interrupted",
        "restart",
        "restart-in-call",
      ),
    }),
    weight: 8,
  },
  { arbitrary: fc.record({ type: fc.constant("message" as const), text: anyText }), weight: 2 },
  {
    arbitrary: fc.record({
      type: fc.constant("observe" as const),
      key: fc.constantFrom("date" as const, "git" as const, "shell" as const),
      text: arbitraryText,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      type: fc.constant("mode" as const),
      mode: fc.constantFrom("plan" as const, "acceptEdits" as const, "default" as const),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ type: "fold" as const }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("summed" as const), text: anyText }), weight: 1 },
  {
    arbitrary: fc.record({ type: fc.constant("pin" as const), text: anyText, said: fc.boolean() }),
    weight: 1,
  },
  { arbitrary: fc.record({ type: fc.constant("retire" as const), at: fc.nat(5) }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("model" as const), at: fc.nat(20) }), weight: 1 },
  { arbitrary: fc.constantFrom({ type: "damage" as const }, { type: "interrupt" as const }), weight: 1 },
);

export const arbitraryMoves: fc.Arbitrary<readonly Move[]> = fc.array(move, { minLength: 2, maxLength: 14 });
