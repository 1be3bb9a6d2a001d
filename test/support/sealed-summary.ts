import type { CompactionBlock } from "../../src/log/block.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { bindingPrefix } from "../../src/testing/simulate/binding.ts";
import { contentHash, sealSummary } from "../../src/testing/simulate/compaction-seal.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { partOf } from "../../src/testing/simulate/segment.ts";
import { lawCodec } from "./play-log.ts";

/** What the service makes of a request for a summary of its own, sealed as the simulator seals it. */
export function sealedSummary(doc: Doc, text: string): CompactionBlock {
  const { wire } = doc.model;
  const segments = cut(wire, lawCodec(wire).encode({ ...doc, asksSummary: true }, []).body);
  const isItem = wire === "responses";
  const head = segments.filter((segment) =>
    isItem ? segment.path.startsWith("tools.") : partOf(segment) !== "messages",
  );
  const seal = sealSummary({
    content: contentHash(text),
    toolChanges: contentHash(isItem ? null : []),
    head: bindingPrefix(head),
    prefix: bindingPrefix(segments),
    lastRole: isItem ? "" : (segments.at(-1)?.role ?? ""),
    isBound: true,
    text: isItem ? text : "",
  });
  const block = isItem
    ? { type: "compaction", id: "cmp_1", encrypted_content: seal }
    : { type: "compaction", content: text, encrypted_content: null, signature: seal, tool_changes: [] };
  return { type: "compaction", text: isItem ? "" : text, wire: JSON.stringify(block) };
}
