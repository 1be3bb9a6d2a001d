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
  /** What the call asked for: a command, a path. */
  readonly call?: string;
};

/**
 * `DIR/tool-outputs/outputs.jsonl` and, as a class of their own, the texts in `DIR/test-logs`; `skipped`: lines that are no
 * row. A folder without either is an error.
 */
export async function outputsIn(
  data: string,
): Promise<{ readonly outputs: readonly Output[]; readonly skipped: readonly string[] }> {
  const file = join(data, "tool-outputs", "outputs.jsonl");
  const logs = join(data, "test-logs");
  if (!existsSync(file) && !existsSync(logs)) throw new Error(`${data} holds neither tool-outputs nor test-logs`);
  const text = existsSync(file) ? await readFile(file, "utf8") : "";
  const rows = text.split("\n").map((line, at) => ({ line, at: at + 1 }));
  const read = rows.filter(({ line }) => line.trim() !== "").map(({ line, at }) => outputOf(line, at));
  const skipped = read.filter((one) => typeof one === "string");
  const outputs = read.filter((one) => typeof one !== "string");
  return { outputs: [...outputs, ...(await testLogs(logs))], skipped };
}

async function testLogs(folder: string): Promise<readonly Output[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const logs = names.toSorted().map(async (id) => {
    const text = await readFile(join(folder, id), "utf8");
    return outputFrom({ id, cls: "test-logs", tool: "Bash", text, needed: [] });
  });
  return await Promise.all(logs);
}

/** What is wrong with it, where it is no row. */
function outputOf(line: string, at: number): Output | string {
  const parsed = parseJson(line);
  const row = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
  const { text, cls, tool, id, needed, command } = row;
  if (typeof text !== "string") return `line ${at} has no text`;
  return outputFrom({
    id: typeof id === "string" ? id : `line ${at}`,
    cls: typeof cls === "string" ? cls : "unknown",
    tool: typeof tool === "string" ? tool : "",
    text,
    needed: (Array.isArray(needed) ? needed : []).flatMap(neededText),
    ...(typeof command === "string" ? { call: command } : {}),
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
