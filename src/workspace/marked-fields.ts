import type { Field, Fields } from "./frontmatter.ts";

/** What reading the fields of one file found wrong: `faults` keep it from being used, `notes` do not. Each names file and line. */
export type FieldReader = {
  readonly faults: readonly string[];
  readonly notes: readonly string[];
  /** null: it is not there, or is no text. An empty one is a text. */
  text(name: string, wrong: Wrong): string | null;
  /** A list, or one text that `split` takes apart; null: it is not there, or cannot be read. */
  list(name: string, split: (text: string) => readonly string[], wrong: Wrong): readonly string[] | null;
  flag(name: string, usual: boolean, wrong: Wrong): boolean;
  has(name: string): boolean;
  say(name: string, why: string, how: Wrong): void;
};

/** What follows when a field cannot be read. */
type Wrong = "fault" | "note";

export function fieldReader(fields: Fields, file: string): FieldReader {
  const said = { fault: [] as string[], note: [] as string[] };
  const say: FieldReader["say"] = (name, why, how) => {
    said[how].push(`${file}:${fields.get(name)?.line ?? 1}: ${name}: ${why}`);
  };
  const reject = (name: string, expected: string, value: unknown, how: Wrong): null => {
    say(name, `expected ${expected}, got ${shown(value)}`, how);
    return null;
  };
  const read = <T>(name: string, none: T, take: (field: Field) => T): T => {
    const field = fields.get(name);
    return field === undefined ? none : take(field);
  };
  return {
    faults: said.fault,
    notes: said.note,
    has: (name) => fields.has(name),
    say,
    text: (name, wrong) =>
      read<string | null>(name, null, ({ value }) => plain(value) ?? reject(name, "a text", value, wrong)),
    list: (name, split, wrong) =>
      read<readonly string[] | null>(name, null, ({ value }) => {
        if (typeof value === "string") return split(value);
        const items = Array.isArray(value) ? value.map(plain) : [null];
        const texts = items.filter((item) => item !== null);
        return texts.length === items.length ? texts : reject(name, "a text or a list of texts", value, wrong);
      }),
    flag: (name, usual, wrong) =>
      read(name, usual, ({ value }) => {
        if (typeof value === "boolean") return value;
        reject(name, "true or false", value, wrong);
        return usual;
      }),
  };
}

/** `version: 1.0` is meant as a text. */
function plain(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}

function shown(value: unknown): string {
  return value === null ? "nothing" : (JSON.stringify(value) ?? "nothing").slice(0, 100);
}
