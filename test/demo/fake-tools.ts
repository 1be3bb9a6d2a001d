import { isRecord } from "../../src/kernel/canonical.ts";

export type Outcome = { readonly text: string; readonly isError: boolean };

/** The tools of the agent over files in memory, as far as the demo's plans use them. `shell` answers commands. */
export function fakeTools(files: Map<string, string>, shell: (command: string) => Outcome) {
  const seen = new Set<string>();
  const originals = new Map<string, string>();
  const text = (value: unknown): string => (typeof value === "string" ? value : "");

  const tools: Readonly<Record<string, (input: Record<string, unknown>) => Outcome>> = {
    Glob: () => ok([...files.keys()].sort().join("\n")),
    Grep: (input) => ok(grep(files, input)),
    Read: (input) => {
      const path = text(input.path);
      const content = files.get(path);
      if (content === undefined) return bad(`No such file: ${path}`);
      seen.add(path);
      return ok(numbered(content, Number(input.startLine ?? 1), Number(input.endLine ?? 1e9)));
    },
    Write: (input) => {
      const path = text(input.path);
      if (files.has(path) && !seen.has(path)) return bad(`Refused: read ${path} before writing over it`);
      seen.add(path);
      files.set(path, text(input.content));
      return ok(`Wrote ${path}`);
    },
    Edit: (input) => {
      const path = text(input.path);
      const old = text(input.old);
      if (!seen.has(path)) return bad(`Refused: read ${path} before editing it`);
      const parts = files.get(path)?.split(old) ?? [];
      if (parts.length !== 2) return bad(`Not edited: the old text occurs ${parts.length - 1} times in ${path}`);
      files.set(path, parts.join(text(input.new)));
      return ok(`Edited ${path}: 1 replacement`);
    },
    Bash: (input) => shell(text(input.command)),
    recall: (input) => {
      const original = originals.get(text(input.handle)) ?? "unknown handle";
      if (typeof input.grep === "string") return ok(linesWith(original, new RegExp(input.grep)));
      return ok(typeof input.search === "string" ? linesWith(original, input.search) : original);
    },
  };

  return {
    originals,
    run(tool: string, input: unknown): Outcome {
      const found = tools[tool];
      if (found === undefined || !isRecord(input)) return bad(`Error: no such tool: ${tool}`);
      return found(input);
    },
  };
}

function ok(text: string): Outcome {
  return { text, isError: false };
}

function bad(text: string): Outcome {
  return { text, isError: true };
}

function numbered(content: string, from: number, to: number): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return lines
    .map((line, index) => `${index + 1}\t${line}`)
    .slice(from - 1, to)
    .join("\n");
}

function grep(files: ReadonlyMap<string, string>, input: Record<string, unknown>): string {
  const pattern = new RegExp(String(input.pattern));
  const below = input.path === "." ? "" : String(input.path ?? "");
  const hits = [...files]
    .filter(([path]) => path.startsWith(below))
    .flatMap(([path, content]) =>
      content.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}:${line}`] : [])),
    )
    .slice(0, Number(input.limit ?? 100));
  return hits.length === 0 ? "No matches." : hits.join("\n");
}

function linesWith(content: string, wanted: string | RegExp): string {
  const isWanted = (line: string) => (typeof wanted === "string" ? line.includes(wanted) : wanted.test(line));
  const lines = content.split("\n").map((line, index) => `${index + 1}\t${line}`);
  return lines.filter(isWanted).join("\n");
}
