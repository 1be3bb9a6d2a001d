import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { exitCodeLine } from "../src/digest/first-form.ts";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { readingOf } from "./questions/reading.ts";
import { type OutputType, typeOf } from "./questions/types.ts";

/** A tool's output as it was, and the strings of it that the session used later. */
export type Output = {
  readonly id: string;
  readonly cls: string;
  readonly type: OutputType;
  readonly tool: string;
  readonly text: string;
  readonly needed: readonly string[];
  readonly exitCode: number | null;
};

/** The small data of the repository's own: what runs when no `--data` is given. */
export const ownData = join(import.meta.dirname, "data");

/** `DIR/tool-outputs/outputs.jsonl` and, as a class of their own, the texts in `DIR/test-logs`. */
export async function outputsIn(data: string): Promise<readonly Output[]> {
  const file = join(data, "tool-outputs", "outputs.jsonl");
  if (!existsSync(file)) throw new Error(`bench digest: there is no ${file}`);
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  const rows = lines.map((line, at) => outputOf(line, `${file}, line ${at + 1}`));
  const logs = join(data, "test-logs");
  const names = existsSync(logs) ? (await readdir(logs)).toSorted() : [];
  const read = names.map(async (name): Promise<Output> => {
    const text = await readFile(join(logs, name), "utf8");
    const cls = "test-logs";
    return {
      id: name,
      cls,
      type: typeOf(text, cls),
      tool: "Bash",
      text,
      needed: [],
      exitCode: readingOf(text).exitCode,
    };
  });
  return [...rows, ...(await Promise.all(read))];
}

function outputOf(line: string, where: string): Output {
  const parsed = parseJson(line);
  const row = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
  const { text, cls, tool, id, needed } = row;
  if (typeof text !== "string" || typeof cls !== "string")
    throw new Error(`bench digest: ${where} has no text or class`);
  return outputFrom({
    id: typeof id === "string" ? id : where,
    cls,
    tool: typeof tool === "string" ? tool : "",
    text,
    needed: (Array.isArray(needed) ? needed : []).flatMap(neededText),
  });
}

/** Our own tool ends the output of a command that failed with its exit code, so that is part of what is cut. */
function outputFrom(row: Omit<Output, "type" | "exitCode">): Output {
  const { exitCode } = readingOf(row.text);
  const isSaid = exitCode === null || exitCode === 0 || row.text.includes(exitCodeLine(exitCode));
  const text = isSaid ? row.text : `${row.text.replace(/(?<!\n)$/, "\n")}${exitCodeLine(exitCode)}`;
  return { ...row, type: typeOf(row.text, row.cls), text, exitCode };
}

/** `[kind, text]`. */
function neededText(one: unknown): readonly string[] {
  const text: unknown = Array.isArray(one) ? one[1] : one;
  return typeof text === "string" && text !== "" ? [text] : [];
}
