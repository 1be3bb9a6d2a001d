/**
 * The files a call names, each by the last two parts of its path, so that `/work/src/a.ts` and `src/a.ts` are one. Long
 * texts are contents, which speak of other files; of a patch the lines that name its files count.
 */
export function namesIn(input: unknown): readonly string[] {
  const names = new Set<string>();
  for (const text of stringsIn(input, 0)) {
    for (const name of namesOfText(text)) if (names.size < namesMax) names.add(name);
  }
  return [...names];
}

const namesMax = 20;
const depthMax = 8;
/** Of a longer text only the beginning is looked at, and of one of many lines what a patch says. */
const textCharsMax = 2_000;

function* stringsIn(value: unknown, depth: number): Iterable<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null && depth < depthMax) {
    for (const part of Object.values(value)) yield* stringsIn(part, depth + 1);
  }
}

function namesOfText(text: string): readonly string[] {
  const patched = [...text.slice(0, patchCharsMax).matchAll(patchHeader)].flatMap(([, path]) => nameOf(path ?? ""));
  if (patched.length > 0) return patched;
  const looked = text.slice(0, textCharsMax);
  return (looked.match(run) ?? []).flatMap(nameOf);
}

/** `*** Update File: src/a.ts`, as patches for models have it, and `+++ b/src/a.ts`. */
const patchHeader = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ b\/)(.{1,400})$/gm;
const patchCharsMax = 200_000;

/** One class of characters, so that it is linear on any text. */
const run = /[\p{L}\p{N}_@./~+-]+/gu;

function nameOf(path: string): readonly string[] {
  const trimmed = path.trim().replace(/[.:]+$/, "");
  const parts = trimmed.split("/").filter((part) => part !== "");
  const last = parts.at(-1) ?? "";
  if (!/[\p{L}\p{N}_-]\.[A-Za-z][A-Za-z0-9]{0,7}$/u.test(last) || trimmed.length > pathCharsMax) return [];
  return [parts.slice(-2).join("/")];
}

const pathCharsMax = 400;
