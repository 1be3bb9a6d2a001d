import type { Move, PlannedCall, Step } from "./plan.ts";
import type { View } from "./view.ts";

/** Calls that only look, side by side. */
export function look(say: string, calls: readonly PlannedCall[], think?: string): Step {
  return { kind: "look", say, ...thought(think), act: () => ({ type: "do", calls }) };
}

export function run(say: string, command: string, think?: string): Step {
  return look(say, [bash(command)], think);
}

/** A new file; left alone when it is in view with this text. */
export function create(say: string, path: string, content: string, think?: string): Step {
  const act = (view: View): Move => {
    if (view.passages(path).some((text) => text.trimEnd() === content.trimEnd())) return { type: "skip" };
    if (wasWritten(view, path)) return lookAgain(path, "a write of it did not end well");
    return { type: "do", calls: [{ tool: "Write", input: { path, content } }] };
  };
  return { kind: "change", say, ...thought(think), act };
}

export type Change = {
  readonly path: string;
  /** A line that stands in the file only after the change. */
  readonly present: string;
  /** Finds the old text in what is in view and makes the new one of it; null when it is not there. */
  readonly change: (text: string) => { readonly old: string; readonly new: string } | null;
};

/** A change of a file that is in view; looked at (again) when it is not. */
export function edit(say: string, { path, present, change }: Change, think?: string): Step {
  const act = (view: View): Move => {
    const passages = view.passages(path);
    if (passages.some((text) => text.includes(present))) return { type: "skip" };
    const [found] = passages.flatMap((text) => change(text) ?? []);
    if (found === undefined) return lookAgain(path, `the lines of ${path} are not in view`);
    return { type: "do", calls: [{ tool: "Edit", input: { path, ...found } }] };
  };
  return { kind: "change", say, ...thought(think), act };
}

/** Small changes of different places, done in one step. */
export function together(say: string, steps: readonly Step[], think?: string): Step {
  const act = (view: View): Move => {
    const moves = steps.map((step) => step.act(view));
    const looks = moves.flatMap((move) => (move.type === "look" ? [move] : []));
    const [first] = looks;
    if (first !== undefined) return { ...first, calls: distinct(looks.flatMap((move) => move.calls)) };
    const calls = moves.flatMap((move) => (move.type === "do" ? move.calls : []));
    return calls.length === 0 ? { type: "skip" } : { type: "do", calls };
  };
  return { kind: "change", say, ...thought(think), act };
}

/** Makes a change of the one run of lines that `pattern` matches. */
export function lines(pattern: RegExp, make: (old: string) => string): Change["change"] {
  return (text) => {
    const old = pattern.exec(text)?.[0];
    return old === undefined ? null : { old, new: make(old) };
  };
}

/** An import behind another one of the same file. */
export function importAfter(path: string, before: string, names: string, from: string): Step {
  const added = `import ${names} from "${from}";`;
  const change = line(
    (text) => text.startsWith("import ") && text.endsWith(` from "${before}";`),
    (old) => [old, added],
  );
  return edit(`${path} imports ${names.replace(/[{}]/g, "").trim()}.`, { path, present: added, change });
}

/** A row of a table in a Markdown file, behind the row of `after`, in the widths of that one. */
export function tableRow(path: string, after: string, cells: readonly string[]): Step {
  const change = line(
    (text) => text.startsWith(`| ${after} `),
    (old) => {
      const widths = old.split("|").map((cell) => cell.length - 2);
      return [old, `| ${cells.map((cell, at) => cell.padEnd(widths[at + 1] ?? 0)).join(" | ")} |`];
    },
  );
  return edit(`${path} lists it.`, { path, present: `| ${cells[0]}`, change });
}

/** Makes other lines of the first line that is wanted. */
export function line(isWanted: (text: string) => boolean, make: (old: string) => readonly string[]): Change["change"] {
  return (text) => {
    const old = text.split("\n").find(isWanted);
    return old === undefined
      ? null
      : {
          old: `${old}\n`,
          new: make(old)
            .map((made) => `${made}\n`)
            .join(""),
        };
  };
}

export function read(path: string, startLine = 1, endLine = 400): PlannedCall {
  return { tool: "Read", input: { path, startLine, endLine } };
}

export function bash(command: string): PlannedCall {
  return { tool: "Bash", input: { command, timeoutMs: 120_000 } };
}

function thought(think: string | undefined): { readonly think?: string } {
  return think === undefined ? {} : { think };
}

function lookAgain(path: string, why: string): Move {
  return { type: "look", why, calls: [read(path)] };
}

function distinct(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}

/** A write of the file that is in view and left no text in view: it failed, or nobody knows. */
function wasWritten(view: View, path: string): boolean {
  const last = view.turns.flatMap((turn) => turn.calls).findLast((call) => call.input.path === path);
  return last?.tool === "Write" && view.passages(path).length === 0;
}
