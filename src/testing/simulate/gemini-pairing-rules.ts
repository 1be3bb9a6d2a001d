import { callsIn, contentsOf, responsesIn, type Turn, turnsOf } from "./gemini-contents.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { recordOf, textOf } from "./value.ts";

type Part = Readonly<Record<string, unknown>>;

/** Who speaks when, and that each call is answered (PROTOCOLS C.2). */
export const geminiPairingRules: readonly Rule[] = [
  {
    id: "first-user",
    paragraph: "C.2",
    check: (input) =>
      contentsOf(input)[0]?.role === "user"
        ? null
        : { message: "Please ensure that the first content of a multiturn request has the role user." },
  },
  {
    id: "last-user",
    paragraph: "C.2",
    check: (input) =>
      contentsOf(input).at(-1)?.role === "user"
        ? null
        : { message: "Please ensure that multiturn requests end with a user role or a function response." },
  },
  {
    id: "call-answered",
    paragraph: "C.2",
    check: (input) =>
      eachCallTurn(input, (calls, answers) =>
        calls.length === answers.length
          ? null
          : "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      ),
  },
  {
    id: "response-order",
    paragraph: "C.2",
    check: (input) =>
      eachCallTurn(input, (calls, answers) =>
        calls.every((call, at) => isAnswerTo(recordOf(call.functionCall), recordOf(answers[at]?.functionResponse)))
          ? null
          : "Please ensure that function response parts have the names, ids and order of the function call parts that they answer.",
      ),
  },
  {
    id: "response-first",
    paragraph: "C.2",
    check: (input) =>
      firstOf(turnsOf(contentsOf(input)), ({ parts }) => {
        const kinds = parts.map((part) => part.functionResponse !== undefined);
        return kinds.indexOf(false) !== -1 && kinds.indexOf(false) < kinds.lastIndexOf(true)
          ? "Please ensure that function response parts stand before all other parts of their turn."
          : null;
      }),
  },
  {
    id: "response-orphan",
    paragraph: "C.2",
    check: (input) => {
      const turns = turnsOf(contentsOf(input));
      return firstOf(turns, ({ parts }, at) =>
        responsesIn(parts).length > 0 && callsIn(turns[at - 1]?.parts ?? []).length === 0
          ? "Please ensure that function response turn comes immediately after a function call turn."
          : null,
      );
    },
  },
];

/** Calls with the responses of the very next content. The last turn has no next one: `last-user` speaks of it. */
function eachCallTurn(
  input: RuleInput,
  check: (calls: readonly Part[], answers: readonly Part[]) => string | null,
): Found | null {
  const turns = turnsOf(contentsOf(input));
  return firstOf(turns, (turn: Turn, at) => {
    const calls = callsIn(turn.parts);
    const next = turns[at + 1];
    return calls.length === 0 || next === undefined ? null : check(calls, responsesIn(next.parts));
  });
}

/** An id that the call does not have binds nobody. */
function isAnswerTo(call: Part, answer: Part): boolean {
  const id = textOf(call.id);
  return call.name === answer.name && (id === "" || id === answer.id);
}
