import type { Line, Reading } from "./reading.ts";

/**
 * Something one can ask a result. Asked of the original and of what stands in its place: `null` is "this text does not
 * tell", and anything else must be what the original answers. A question whose answer depends on what is left out must say
 * null, so each of these looks for gaps before it answers.
 */
export type Question = { readonly name: string; readonly answer: (reading: Reading) => string | null };

/** What a line says to a question, or null. */
export type Ask = RegExp | ((line: string) => string | null);

/** The first answer: no line before it is missing. */
export function first(name: string, ask: Ask): Question {
  return nth(name, ask, 1);
}

/** One question for each of the first `count`. */
export function firsts(name: string, ask: Ask, count: number): readonly Question[] {
  return Array.from({ length: count }, (_, at) => nth(`${name}, from the start ${at + 1}`, ask, at + 1));
}

export function lasts(name: string, ask: Ask, count: number): readonly Question[] {
  return Array.from({ length: count }, (_, at) => nthLast(`${name}, from the end ${at + 1}`, ask, at + 1));
}

/** The last answer: no line behind it is missing. */
export function last(name: string, ask: Ask): Question {
  return nthLast(name, ask, 1);
}

function nth(name: string, ask: Ask, n: number): Question {
  return {
    name,
    answer: ({ lines }) => {
      let left = n;
      for (const line of lines) {
        if (line.afterGap || line.cut) return null;
        const said = asked(ask, line);
        if (said !== null && --left === 0) return said;
      }
      return null;
    },
  };
}

function nthLast(name: string, ask: Ask, n: number): Question {
  return {
    name,
    answer: ({ lines, openEnd }) => {
      let left = n;
      let isOpen = openEnd;
      for (const line of lines.toReversed()) {
        if (isOpen || line.cut) return null;
        const said = asked(ask, line);
        if (said !== null && --left === 0) return said;
        isOpen = line.afterGap;
      }
      return null;
    },
  };
}

/** How many lines answer. None is no question. */
export function count(name: string, ask: Ask): Question {
  return ofAll(name, ask, (all) => String(all.length));
}

/** How many different answers there are. */
export function kinds(name: string, ask: Ask): Question {
  return ofAll(name, ask, (all) => String(new Set(all).size));
}

/** All answers in order, as one. */
export function list(name: string, ask: Ask): Question {
  return ofAll(name, ask, (all) => all.join("\n"));
}

/** The answer that comes most often, the first of equals. */
export function commonest(name: string, ask: Ask): Question {
  return ofAll(name, ask, commonestOf);
}

export function commonestOf(all: readonly string[]): string | null {
  const times = new Map<string, number>();
  for (const one of all) times.set(one, (times.get(one) ?? 0) + 1);
  return [...times].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/** The greatest of the numbers that lines answer with. */
export function largest(name: string, ask: Ask): Question {
  return ofAll(name, ask, (all) => String(all.map(Number).reduce((a, b) => Math.max(a, b))));
}

export function total(name: string, ask: Ask): Question {
  return ofAll(name, ask, (all) => String(Math.round(all.reduce((sum, one) => sum + Number(one), 0) * 1_000) / 1_000));
}

function ofAll(name: string, ask: Ask, told: (all: readonly string[]) => string | null): Question {
  return {
    name,
    answer: ({ lines, whole }) => {
      if (!whole) return null;
      const all = lines.map((line) => asked(ask, line)).filter((said) => said !== null);
      return all.length === 0 ? null : told(all);
    },
  };
}

/** Whether any line answers: a no only from a text in which nothing is missing. */
export function whether(name: string, ask: Ask): Question {
  return {
    name,
    answer: ({ lines, whole }) => {
      if (lines.some((line) => !line.cut && asked(ask, line) !== null)) return "yes";
      return whole ? "no" : null;
    },
  };
}

/** The line behind the first answer; `by` lines further. */
export function behind(name: string, ask: Ask, by = 1): Question {
  return {
    name,
    answer: ({ lines }) => {
      for (const [at, line] of lines.entries()) {
        if (line.afterGap || line.cut) return null;
        if (asked(ask, line) === null) continue;
        const next = lines.slice(at + 1, at + 1 + by);
        if (next.length < by || next.some((one) => one.afterGap || one.cut)) return null;
        return next.at(-1)?.text.trim() ?? null;
      }
      return null;
    },
  };
}

/** In which line the first answer stands. */
export function where(name: string, ask: Ask): Question {
  return {
    name,
    answer: ({ lines }) => {
      for (const line of lines) {
        if (line.afterGap || line.cut) return null;
        if (asked(ask, line) !== null) return line.n === null ? null : String(line.n);
      }
      return null;
    },
  };
}

/** One line by its number. */
export function lineNumber(n: number): Question {
  return { name: `line ${n}`, answer: ({ lines }) => textAt(lines, n) };
}

/** One line by its distance from the end, which the form tells by its total. */
export function lineFromEnd(back: number): Question {
  return {
    name: `line ${back} from the end`,
    answer: ({ lines, total: { lines: count } }) => (count === null ? null : textAt(lines, count + 1 - back)),
  };
}

function textAt(lines: readonly Line[], n: number): string | null {
  const found = lines.find((line) => line.n === n);
  return found === undefined || found.cut ? null : found.text.trimEnd();
}

function asked(ask: Ask, { text, cut }: Line): string | null {
  if (cut) return null;
  if (typeof ask === "function") return ask(text);
  const found = ask.exec(text);
  return found === null ? null : (found.slice(1).find((part) => part !== undefined) ?? found[0]).trim();
}
