import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { needsOf } from "./needs.ts";
import type { Block, Probe, Recording } from "./recording.ts";

/** A row of `retention/probes.jsonl`; null where the line is none. */
export function probeRow(line: string): { readonly session: string; readonly probe: Probe } | null {
  const parsed = parseJson(line);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return null;
  const { session, call, kind, text, src } = parsed.value;
  if (typeof session !== "string" || typeof call !== "string" || typeof text !== "string" || text === "") return null;
  if (typeof src !== "string") return null;
  return { session, probe: { callId: call, kind: typeof kind === "string" ? kind : "unknown", text, source: src } };
}

/**
 * The strings that calls use and only an earlier result holds, by the rule of `tools/events.py`: of each call the
 * longest lines it edits, the paths and the names it mentions; each path and name once, the first time.
 */
export function computeProbes({ calls }: Recording): readonly Probe[] {
  const results: Block[] = [];
  /** What stands elsewhere: a string the user or the model wrote needs no result. */
  const others: string[] = [];
  const asked = new Set<string>();
  const probes: Probe[] = [];
  for (const { before, answer } of calls) {
    for (const block of [...before, ...answer]) {
      if (block.kind === "tool-result") results.push(block);
      else if (block.kind !== "tool-call") {
        if (block.kind !== "summary") others.push(block.text);
      } else {
        for (const probe of newProbes(block, results, asked)) {
          if (!others.some((text) => text.includes(probe.text))) probes.push(probe);
        }
        others.push(block.text);
      }
    }
  }
  return probes;
}

function newProbes(call: Block, results: readonly Block[], asked: Set<string>): readonly Probe[] {
  return needsOf(call.tool ?? "", call.text).flatMap(({ kind, text }) => {
    const name = `${kind}\n${text}`;
    if (asked.has(name) && kind !== "edit_line") return [];
    const source = results.findLast((result) => result.text.includes(text));
    if (source?.callId == null || call.callId === null) return [];
    asked.add(name);
    return [{ callId: call.callId, kind, text, source: source.callId }];
  });
}
