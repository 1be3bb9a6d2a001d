import type { Wire } from "../../kernel/usage.ts";
import { bindingPrefix } from "./binding.ts";
import type { CompactionBlock } from "./compacted.ts";
import type { CompactionAsk } from "./compaction-ask.ts";
import { contentHash, sealSummary } from "./compaction-seal.ts";
import type { Examined } from "./examine.ts";
import { partOf, type SimSegment } from "./segment.ts";
import type { SimModel } from "./sim-model.ts";
import { toolChanges } from "./tool-changes.ts";
import { messagesOf, textOf } from "./value.ts";

type Request = {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: SimModel;
  readonly examined: Examined;
};
type Make = (text: string, ask: CompactionAsk, request: Request) => CompactionBlock;

/** A summary as it stands in the answer, sealed over what it stands for; undefined on a wire that has none. */
export function compactionBlock(text: string, ask: CompactionAsk, request: Request): CompactionBlock | undefined {
  return makers[request.model.wire]?.(text, ask, request);
}

const makers: Readonly<Partial<Record<Wire, Make>>> = {
  anthropic: (text, { how }, { body, model, examined }) => {
    const changes = how === "asked" ? toolChanges(body) : null;
    const seal = sealSummary({
      content: contentHash(text),
      toolChanges: contentHash(changes),
      head: bindingPrefix(examined.segments.filter((segment) => partOf(segment) !== "messages")),
      prefix: examined.prefix,
      lastRole: textOf(messagesOf(body).at(-1)?.role),
      isBound: model.thinking === "bound",
      text: "",
    });
    if (how === "due") return { type: "compaction", content: text, encrypted_content: seal };
    return { type: "compaction", content: text, encrypted_content: null, signature: seal, tool_changes: changes };
  },
  responses: (text, _ask, { model, examined }) => {
    const seal = sealSummary({
      content: contentHash(text),
      toolChanges: contentHash(null),
      head: bindingPrefix(examined.segments.filter(isTool)),
      prefix: examined.prefix,
      lastRole: "",
      isBound: model.thinking === "bound",
      text,
    });
    return { type: "compaction", id: `cmp_${contentHash(seal).slice(0, 24)}`, encrypted_content: seal };
  },
};

function isTool({ path }: SimSegment): boolean {
  return path.startsWith("tools.");
}
