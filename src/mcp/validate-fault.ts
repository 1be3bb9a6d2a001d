import { canonicalJson, type Json } from "../kernel/canonical.ts";

export type Path = readonly (string | number)[];

/** Why a value does not fit its schema. It is certain: what cannot be told is no fault. */
export type Fault = {
  readonly path: Path;
  readonly expected: string;
  /** Kinds of value that would do here; empty: it is not about that. */
  readonly types: readonly string[];
};

export function faultText({ path, expected }: Fault, found: Json | undefined): string {
  const where = path.length === 0 ? "the input" : path.map((part, at) => partText(part, at)).join("");
  return `${where}: expected ${expected}, found ${foundText(found)}`;
}

function partText(part: string | number, at: number): string {
  if (typeof part === "number") return `[${part}]`;
  if (!/^[\w$-]{1,100}$/.test(part)) return `[${shortened(JSON.stringify(part), 100)}]`;
  return at === 0 ? part : `.${part}`;
}

function foundText(found: Json | undefined): string {
  return found === undefined ? "nothing" : shortened(canonicalJson(found), 80);
}

export function shortened(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax).toWellFormed()}…`;
}
