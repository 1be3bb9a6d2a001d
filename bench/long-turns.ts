import type { BrainReply } from "../src/testing/simulate/brain.ts";
import { type Dice, diceOf } from "./long-dice.ts";
import { type LongFiles, notesEnd, notesFile } from "./long-files.ts";

/** What the user asks in a turn, and what the model answers, one step after the other; the last answer ends it. */
export type LongTurn = {
  readonly message: string;
  readonly replies: readonly Step[];
};

/** `handle`: one that the request shows, where it shows any. */
export type Step = (handle: string | null) => BrainReply;

type Call = NonNullable<BrainReply["calls"]>[number];
type MakeCall = (dice: Dice, turn: number, files: LongFiles) => Call | "recall";

/** The same turn each time it is asked for: a broken answer is given again as it was. */
export function longTurn(turn: number, files: LongFiles): LongTurn {
  const dice = diceOf(turn + 1_000);
  const steps = Array.from({ length: dice.of([0, 1, 1, 1, 1, 1, 2, 3]) }, () => stepOf(dice, turn, files));
  const end = { ...reasoning(dice), text: `Turn ${turn} is done. ${dice.of(endings)}` };
  return { message: messageOf(dice, turn), replies: [...steps, () => end] };
}

function stepOf(dice: Dice, turn: number, files: LongFiles): Step {
  const calls = Array.from({ length: dice.of([1, 1, 1, 1, 2, 3]) }, () => dice.of(makers)(dice, turn, files));
  const said = { ...reasoning(dice), ...(dice.below(2) === 0 ? {} : { text: `I look at part ${dice.below(50)}.` }) };
  const read: Call = { tool: "Read", input: { path: files[0].path } };
  return (handle) => ({
    ...said,
    calls: calls.map((call) => (call === "recall" ? (handle === null ? read : recallOf(handle)) : call)),
  });
}

function recallOf(handle: string): Call {
  return { tool: "recall", input: { handle } };
}

const readPart: MakeCall = (dice, _turn, files) => {
  const file = dice.of(files);
  const startLine = 1 + dice.below(file.lines);
  const endLine = Math.min(file.lines, startLine + dice.of([10, 20, 40, 120]));
  return { tool: "Read", input: { path: file.path, startLine, endLine } };
};

const readWhole: MakeCall = (dice, _turn, files) => ({ tool: "Read", input: { path: dice.of(files).path } });

const grep: MakeCall = (dice) => ({
  tool: "Grep",
  input: {
    pattern: dice.of(["ERROR", "row 1", "設定", `${dice.below(1_000)}`, "nowhere at all"]),
    limit: dice.of([5, 30]),
  },
});

const bash: MakeCall = (dice, turn) => ({
  tool: "Bash",
  input: {
    command: dice.of([
      `seq 1 ${50 + dice.below(2_000)}`,
      `echo "漢字 🙂 ${turn}"`,
      `echo "src/a.ts:${turn}:7: error: expected ;" >&2; exit 3`,
    ]),
  },
});

const edit: MakeCall = (dice, turn) => ({
  tool: "Edit",
  input: { path: notesFile, old: notesEnd, new: `Turn ${turn}: ${dice.below(1_000)} 済み\n${notesEnd}` },
});

const readNotes: MakeCall = () => ({ tool: "Read", input: { path: notesFile } });

/** The notes begin anew: what grows without end would be a test of something else. */
const write: MakeCall = (_dice, turn) => ({
  tool: "Write",
  input: { path: notesFile, content: `# Notes from turn ${turn}\n${notesEnd}\n` },
});

const todos: MakeCall = (dice, turn) => ({
  tool: "TodoWrite",
  input: {
    todos: Array.from({ length: 1 + dice.below(6) }, (_, at) => ({
      text: `part ${at} of turn ${turn}`,
      status: at === 0 ? "in-progress" : dice.of(["pending", "done"]),
    })),
  },
});

const missing: MakeCall = (_dice, turn) => ({ tool: "Read", input: { path: `gone/${turn}.ts` } });
const wrong: MakeCall = () => ({ tool: "Edit", input: { path: notesFile, old: "words that stand nowhere", new: "x" } });
const remember: MakeCall = (_dice, turn) => ({ tool: "RememberFact", input: { fact: `Decision ${turn} stands.` } });

const makers: readonly [MakeCall, ...MakeCall[]] = [
  ...Array.from({ length: 12 }, () => readPart),
  ...Array.from({ length: 2 }, () => readWhole),
  ...[grep, bash, readNotes, readNotes, edit, edit, edit, write, todos, todos, missing, wrong, remember],
  ...(["recall", "recall", "recall"] as const).map((call) => () => call),
] as [MakeCall, ...MakeCall[]];

function reasoning(dice: Dice): { readonly reasoning?: string } {
  return dice.below(3) > 0
    ? {}
    : { reasoning: dice.of(["hm", "考え中 🤔 ".repeat(20), "I compare both. ".repeat(40)]) };
}

function messageOf(dice: Dice, turn: number): string {
  const rule = turn % 41 === 7 ? ` Always keep rule ${turn} in mind.` : "";
  return `${dice.of(requests)} (turn ${turn})${rule}${dice.below(25) === 0 ? `\n${"pasted line of a report\n".repeat(120)}` : ""}`;
}

const requests: readonly [string, ...string[]] = [
  "Please go on with the next part.",
  "Look for what is wrong with the table.",
  "次の節を確認してください。🙂",
  "Was sagt das Protokoll über die Fehler?",
  "Change what we agreed on and check it.",
];

const endings: readonly [string, ...string[]] = [
  "Nothing else was found.",
  "次に進めます。",
  "The details stand above. ".repeat(10),
];
