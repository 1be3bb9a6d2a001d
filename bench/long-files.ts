import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { diceOf } from "./long-dice.ts";

export type LongFile = { readonly path: string; readonly lines: number };

/** A workspace of mixed content: code, prose in several scripts, JSON, logs; some of it far longer than one look. */
export async function writeLongFiles(work: string): Promise<readonly LongFile[]> {
  await mkdir(join(work, "src"), { recursive: true });
  const files: LongFile[] = [];
  for (const [at, [path, lineOf, lines]] of kinds.entries()) {
    const dice = diceOf(at + 1);
    const text = Array.from({ length: lines }, (_, line) => lineOf(line, dice.below(100_000))).join("\n");
    await writeFile(join(work, path), `${text}\n`);
    files.push({ path, lines });
  }
  await writeFile(join(work, notesFile), `# Notes\n${notesEnd}\n`);
  return files;
}

/** The file that is edited: each edit puts a line in front of its end. */
export const notesFile = "notes.md";
export const notesEnd = "## End";

type Kind = readonly [path: string, lineOf: (line: number, chance: number) => string, lines: number];

const levels = ["INFO", "INFO", "INFO", "WARN", "ERROR"];

const kinds: readonly Kind[] = [
  ["src/sum.ts", (n, c) => `export const sum${n} = (a: number, b: number): number => a * ${c} + b; // ${n % 7}`, 60],
  [
    "src/table.ts",
    (n, c) => `  { id: ${n}, name: "row ${c}", tags: ["a${c % 9}", "b"], isOpen: ${c % 2 === 0} },`,
    900,
  ],
  ["src/view.tsx", (n, c) => `  <Row key="${n}" title={t("view.${c % 300}")} onOpen={() => open(${c})} />`, 250],
  ["guide.md", (n, c) => `Paragraph ${n} of the guide says what ${c} is for, in a sentence of usual length.`, 400],
  ["手引き.md", (n, c) => `第${n}節。設定${c}の値を変えるときは、必ず再起動してから確認してください。🙂`, 300],
  [
    "data.json",
    (n, c) => `{"n":${n},"value":${c / 7},"text":"値 ${c}","nested":{"list":[1,${c},null],"ok":true}}`,
    500,
  ],
  [
    "server.log",
    (n, c) => `2026-11-29T10:${String(n % 60).padStart(2, "0")}:07Z ${levels[c % 5]} request ${c} took ${c % 900} ms`,
    3_000,
  ],
  ["emoji.txt", (n, c) => `${"👩‍👩‍👧🙂🚀".repeat((c % 5) + 1)} line ${n} ünïcödé ${c}`, 120],
];
