import { type Fields, type Frontmatter, parseFrontmatter } from "./frontmatter.ts";
import { compileGlob } from "./glob.ts";

/** `claude`: `.claude/rules/*.md`; `cursor`: `.cursor/rules/*.mdc`. */
export type RuleDialect = "claude" | "cursor";

/** When a rule enters. */
export type RuleWhen =
  | { readonly type: "always" }
  /** A file that matches is touched; patterns are relative to the folder that holds the rules. */
  | { readonly type: "paths"; readonly globs: readonly string[] }
  /** The model reads it where the description says so. */
  | { readonly type: "described"; readonly description: string }
  /** Only a person names it. */
  | { readonly type: "named" }
  /** Not to be read: it is not applied, for what it is limited to is not known. `line`: of the file. */
  | { readonly type: "broken"; readonly line: number; readonly why: string };

export type RuleFile = { readonly when: RuleWhen; readonly body: string };

export async function parseRuleFile(text: string, dialect: RuleDialect): Promise<RuleFile> {
  const front = await parseFrontmatter(text);
  const { body } = front;
  if (front.type === "none") return { when: dialect === "claude" ? { type: "always" } : { type: "named" }, body };
  const fields = front.type === "ok" ? front.fields : lenientFields(front);
  if (fields === null) return { when: whyBroken(front), body };
  return { when: readers[dialect](fields), body };
}

/** Matches a path relative to the rules' folder. A pattern that names a folder is for all in it; `!` takes files out again. */
export function rulePaths(globs: readonly string[]): {
  matches(path: string): boolean;
  readonly faults: readonly string[];
} {
  const faults: string[] = [];
  const compiled = globs.flatMap((text) => {
    const isOut = text.startsWith("!");
    const named = isOut ? text.slice(1) : text;
    const pattern = named.endsWith("/") ? `${named}**` : named;
    return [pattern, `${pattern}/**`].flatMap((one) => {
      const glob = compileGlob(one);
      if (glob.type === "ok") return [{ isOut, glob }];
      if (one === pattern) faults.push(`${text}: ${glob.why}`);
      return [];
    });
  });
  const some = (path: string, out: boolean) => compiled.some(({ isOut, glob }) => isOut === out && glob.matches(path));
  return { matches: (path) => some(path, false) && !some(path, true), faults };
}

const readers: Readonly<Record<RuleDialect, (fields: Fields) => RuleWhen>> = {
  claude(fields) {
    const paths = fields.get("paths");
    const globs = globsIn(paths?.value);
    if (globs === null) return broken(paths?.line, "paths: expected a pattern or a list of patterns");
    return globs.length === 0 ? { type: "always" } : { type: "paths", globs };
  },
  cursor(fields) {
    const [always, named, described] = [fields.get("alwaysApply"), fields.get("globs"), fields.get("description")];
    const isAlways = always?.value ?? false;
    if (typeof isAlways !== "boolean") return broken(always?.line, "alwaysApply: expected true or false");
    if (isAlways) return { type: "always" };
    const globs = globsIn(named?.value);
    if (globs === null) return broken(named?.line, "globs: expected a pattern or a list of patterns");
    if (globs.length > 0) return { type: "paths", globs };
    const description = described?.value ?? "";
    if (typeof description !== "string") return broken(described?.line, "description: expected a text");
    return description.trim() === "" ? { type: "named" } : { type: "described", description: description.trim() };
  },
};

/** A list, or one text with commas between; those inside of braces belong to the pattern. null: neither. */
function globsIn(value: unknown): readonly string[] | null {
  const texts = Array.isArray(value) ? value : [value ?? ""];
  const globs: string[] = [];
  for (const text of texts) {
    if (typeof text !== "string") return null;
    globs.push(...partsOf(text));
  }
  return globs.filter((glob) => glob !== "");
}

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const char = text[at];
    if (char === "{") depth++;
    else if (char === "}") depth = Math.max(0, depth - 1);
    else if (char === undefined || (char === "," && depth === 0)) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts;
}

/**
 * Fields whose values are no YAML, such as `globs: *.ts, *.tsx`: taken line by line, but only where every line is
 * `key: value` or an item of a list. null: something else stands there.
 */
function lenientFields(front: Extract<Frontmatter, { readonly type: "bad" }>): Fields | null {
  if (front.line === 1) return null;
  const fields = new Map<string, { value: unknown; readonly line: number }>();
  let last = "";
  for (const [at, text] of front.raw.split("\n").entries()) {
    const item = /^\s*-\s+(.+)$/.exec(text)?.[1];
    const [, key, value = ""] = /^(\w[\w-]*):(?:\s+(.*))?$/.exec(text) ?? [];
    if (text.trim() === "" || /^\s*#/.test(text)) continue;
    if (key !== undefined) {
      if (fields.has(key)) return null;
      fields.set(key, { value: scalar(value), line: at + 2 });
      last = key;
    } else {
      const field = fields.get(last);
      if (item === undefined || field === undefined) return null;
      if (field.value !== null && !Array.isArray(field.value)) return null;
      field.value = [...(field.value ?? []), scalar(item)];
    }
  }
  return fields;
}

function scalar(text: string): string | boolean | null | readonly string[] {
  const value = text.replace(/\s+#.*$/, "").trim();
  if (value === "") return null;
  if (value === "true" || value === "false") return value === "true";
  const listed = /^\[(.*)\]$/.exec(value)?.[1];
  if (listed !== undefined) return partsOf(listed).map(unquoted);
  return unquoted(value);
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;
}

function whyBroken(front: Frontmatter): RuleWhen {
  return front.type === "bad" ? broken(front.line, front.why) : broken(1, "its fields cannot be read");
}

function broken(line: number | undefined, why: string): RuleWhen {
  return { type: "broken", line: line ?? 1, why };
}
