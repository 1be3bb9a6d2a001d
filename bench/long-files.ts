import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dice, diceOf } from "./long-dice.ts";

export type LongFile = { readonly path: string; readonly lines: number };
export type LongFiles = readonly [LongFile, ...LongFile[]];

/** A workspace of mixed content: code, prose in several scripts, JSON, logs; some of it far longer than one look. */
export async function writeLongFiles(work: string): Promise<LongFiles> {
  await mkdir(join(work, "src"), { recursive: true });
  for (const [at, kind] of kinds.entries()) await writeFile(join(work, kind.path), textOf(kind, diceOf(at + 1)));
  await writeFile(join(work, notesFile), `# Notes\n${notesEnd}\n`);
  return kinds;
}

function textOf({ lines, lineOf }: Kind, dice: Dice): string {
  return Array.from({ length: lines }, (_, line) => `${lineOf(line, dice.below(100_000))}\n`).join("");
}

/** The file that is edited: each edit puts a line in front of its end. */
export const notesFile = "notes.md";
export const notesEnd = "## End";

type Kind = LongFile & { readonly lineOf: (line: number, chance: number) => string };

const levels = ["INFO", "INFO", "INFO", "WARN", "ERROR"];

const kinds: readonly [Kind, ...Kind[]] = [
  {
    path: "src/sum.ts",
    lines: 60,
    lineOf: (n, c) => `export const sum${n} = (a: number, b: number): number => a * ${c} + b; // ${n % 7}`,
  },
  {
    path: "src/table.ts",
    lines: 900,
    lineOf: (n, c) => `  { id: ${n}, name: "row ${c}", tags: ["a${c % 9}", "b"], isOpen: ${c % 2 === 0} },`,
  },
  {
    path: "src/view.tsx",
    lines: 250,
    lineOf: (n, c) => `  <Row key="${n}" title={t("view.${c % 300}")} onOpen={() => open(${c})} />`,
  },
  {
    path: "guide.md",
    lines: 400,
    lineOf: (n, c) => `Paragraph ${n} of the guide says what ${c} is for, in a sentence of usual length.`,
  },
  {
    path: "手引き.md",
    lines: 300,
    lineOf: (n, c) => `第${n}節。設定${c}の値を変えるときは、必ず再起動してから確認してください。🙂`,
  },
  {
    path: "data.json",
    lines: 500,
    lineOf: (n, c) => `{"n":${n},"value":${c / 7},"text":"値 ${c}","nested":{"list":[1,${c},null],"ok":true}}`,
  },
  {
    path: "server.log",
    lines: 3_000,
    lineOf: (n, c) => `2026-11-29T10:0${n % 10}:07Z ${levels[c % 5]} request ${c} took ${c % 900} ms`,
  },
  {
    path: "emoji.txt",
    lines: 120,
    lineOf: (n, c) => `${"👩‍👩‍👧🙂🚀".repeat((c % 5) + 1)} line ${n} ünïcödé ${c}`,
  },
];
