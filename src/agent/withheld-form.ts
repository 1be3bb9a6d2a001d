import { estimate } from "../budget/count.ts";
import type { FirstForm } from "../digest/form.ts";
import { repeatNote } from "../digest/repeat-note.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Handle } from "../kernel/ids.ts";
import { charsOfText } from "../log/block.ts";
import { callTitle } from "../log/call-title.ts";
import type { EntryOf } from "../log/entry.ts";
import { callKey, type Returned } from "../log/repeats.ts";
import { shownIn } from "../log/shown.ts";
import type { Call, State } from "../log/state.ts";
import { textOf } from "../prompt/render.ts";
import type { Lane } from "./lane.ts";
import { limitsNow } from "./limits-now.ts";

/**
 * The note in place of a result that was shown `bounds.repeatsShownMin` times since the user's newest message, is the same
 * again, and stands nowhere whole: shown once more it would be cut or taken away once more, for ever (CASES C-015). null: it
 * is shown.
 *
 * A large result is one of those that make each other go, so it is withheld whatever came between. A small one pushes nothing
 * out by itself, and long work may well look at it a third time: it is withheld only when nothing new came since it was shown
 * last, which is what every endless round of small ones comes to. What is not longer than the note is always shown.
 */
export function withheldForm(
  call: Call,
  result: {
    readonly form: FirstForm;
    readonly text: string;
    readonly exitCode: number | null;
    readonly handle: Handle;
  },
  { state, config, texts }: Pick<Lane, "state" | "config" | "texts">,
): Pick<EntryOf<"form-fixed">, "text" | "again"> | null {
  const { repeats } = state();
  const known = repeats.calls[callKey(call)];
  if (known === undefined || known.handle !== result.handle || known.times < bounds.repeatsShownMin) return null;
  if (isWhole(known, result.form, state())) return null;
  const tokens = estimate(result.form.text);
  const isLarge = tokens > limitsNow(state(), config).lineTokens * largeShareMin;
  if (!isLarge && seqOf(known.shown.at(-1)) < repeats.fresh.seq) return null;
  const { times } = known;
  const text = repeatNote({ ...result, times });
  if (estimate(text) >= tokens) return null;
  const what = `${call.tool} ${callTitle(textOf(call.input, texts))}`.slice(0, whatCharsMax).toWellFormed();
  return { text, again: { what, times } };
}

/** Of the hard line: twenty such results fill it. */
const largeShareMin = 0.05;

const whatCharsMax = 200;

/** Whether it stands in the prompt as it would enter it now: not as a stub of it, nor cut to what was left of the window. */
function isWhole({ shown }: Returned, form: FirstForm, state: State): boolean {
  const pieces = shownIn(state).filter(({ id }) => shown.includes(id));
  return pieces.some(({ block }) => {
    if (block.type !== "tool-result") return false;
    // Lines that pointers lead to stand elsewhere in the prompt.
    return block.pointers !== undefined || charsOfText(block.text) >= form.text.length * wholeShareMin;
  });
}

/** Forms of one output differ a little by what the conversation named last. */
const wholeShareMin = 0.9;

function seqOf(id: string | undefined): number {
  return Number.parseInt(id ?? "", 10);
}
