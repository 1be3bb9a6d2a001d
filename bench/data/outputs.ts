import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Block } from "../../src/replay/recording.ts";
import { replayData } from "../replay-data.ts";
import { commandOutputs } from "./commands.ts";

/** A row of `tool-outputs/outputs.jsonl`. */
export type OutputRow = {
  readonly cls: string;
  readonly tool: string;
  readonly command: string;
  readonly text: string;
  /** Kind and text of what a later call used. */
  readonly needed: readonly (readonly [kind: string, text: string])[];
};

/**
 * Outputs to measure first forms with: the results of our own sessions, each with the strings that later calls took from
 * it, and what commands print on this repository and its samples, of which nothing is known to be needed.
 */
export async function writeOutputs(data: string): Promise<number> {
  const { rows, testLogs } = await commandOutputs();
  const all = [...(await sessionOutputs(data)), ...rows].map((row, at) => ({
    ...row,
    chars: row.text.length,
    source: "varve",
    licence: "MIT",
    id: `v${String(at).padStart(4, "0")}`,
  }));
  await mkdir(join(data, "tool-outputs"), { recursive: true });
  await mkdir(join(data, "test-logs"), { recursive: true });
  const text = all.map((row) => JSON.stringify(row)).join("\n");
  await writeFile(join(data, "tool-outputs", "outputs.jsonl"), `${text}\n`);
  for (const [name, log] of testLogs) await writeFile(join(data, "test-logs", name), log);
  return all.length;
}

/** Shorter ones are never cut, longer ones would be most of the data. */
const [charsMin, charsMax] = [1_500, 40_000];

async function sessionOutputs(data: string): Promise<readonly OutputRow[]> {
  const { sessions } = await replayData(data, (text) => text.length);
  const seen = new Set<string>();
  return sessions.flatMap(({ recording, probes }) => {
    const blocks = recording.calls.flatMap(({ before, answer }) => [...before, ...answer]);
    const inputs = new Map(blocks.filter(({ kind }) => kind === "tool-call").map((block) => [block.callId, block]));
    const results = blocks.filter(({ kind, text }) => kind === "tool-result" && isUsual(text));
    return results.flatMap(({ callId, text }) => {
      // Times differ where the same command ran in two sessions.
      const kind = text.replace(/\d+/g, "");
      const call = inputs.get(callId);
      if (seen.has(kind) || call === undefined) return [];
      seen.add(kind);
      const needed = probes.filter(({ source }) => source === callId).map(({ kind, text }) => [kind, text] as const);
      return [{ cls: classOf(call), tool: call.tool ?? "", command: call.text.slice(0, 400), needed, text }];
    });
  });
}

function isUsual(text: string): boolean {
  return text.length >= charsMin && text.length <= charsMax;
}

function classOf({ tool, text }: Block): string {
  const name = (tool ?? "").toLowerCase();
  if (name === "read") return "file-read";
  if (name === "grep" || name === "glob") return "search";
  if (name !== "bash") return "other-shell";
  return bashClasses.find(({ is }) => is.test(text))?.cls ?? "other-shell";
}

const bashClasses: readonly { readonly is: RegExp; readonly cls: string }[] = [
  { is: /\b(?:vitest|npm (?:run -s )?test|node --test|check\.mjs)\b/, cls: "test-run" },
  { is: /\b(?:tsc|lint|build|typecheck)\b/, cls: "build-lint" },
  { is: /\bgit (?:diff|show)\b/, cls: "git-diff" },
  { is: /\bgit (?:log|status)\b/, cls: "git-log" },
  { is: /\b(?:grep|rg|find|ls)\b/, cls: "search" },
];
