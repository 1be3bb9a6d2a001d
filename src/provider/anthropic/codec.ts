import { cacheKeyOfMembers } from "../body.ts";
import type { Codec } from "../codec.ts";
import { growingSegments } from "../growing-segments.ts";
import { blocksOf, draftOfRendered, headOf } from "./block.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { cutAnthropic } from "./cut.ts";
import { anthropicDecoder } from "./decoder.ts";
import { encodeAnthropic, type OnMismatch } from "./encode.ts";
import { decodeForeignAnthropic } from "./foreign.ts";
import { placeMarks } from "./marks.ts";

/** All of the cache key that is not text (law 2). */
const keyMembers = ["model", "thinking", "output_config", "tool_choice", "speed", "context_management"];

const encoder = new TextEncoder();

const segmentsOfDoc = growingSegments({
  head: (doc) => headOf(doc).map(draftOfRendered),
  pieces: (pieces, setting, before) => blocksOf(pieces, setting, before).map(draftOfRendered),
});

/** `onMismatch` is what the service shall do with reasoning whose prefix changed (PROTOCOLS A.3, "Policy for us"). */
export function createAnthropicCodec({ onMismatch }: { readonly onMismatch: OnMismatch }): Codec {
  const cacheKeyOf = (body: Uint8Array) => cacheKeyOfMembers(body, keyMembers);
  return {
    wire: "anthropic",
    encode: (doc, marks) => encodeAnthropic(doc, marks, onMismatch),
    segmentsOfDoc,
    segments: cutAnthropic,
    cacheKeyOf,
    cacheKeyOfDoc(doc) {
      const bare = { ...doc, tools: [], system: [], pieces: [] };
      return cacheKeyOf(encoder.encode(encodeAnthropic(bare, [], onMismatch).body));
    },
    decodeForeign: decodeForeignAnthropic,
    placeMarks,
    abilities(model) {
      const { systemMessages, clearsResults, revealsTools, sumsUp } = capabilitiesOf(model);
      return {
        systemMessages,
        effortUpdates: systemMessages,
        ...(clearsResults ? { clearsResults } : {}),
        ...(revealsTools ? { revealsTools } : {}),
        ...(sumsUp ? { sumsUp } : {}),
      };
    },
    decoder: anthropicDecoder,
  };
}

export const anthropicCodec: Codec = createAnthropicCodec({ onMismatch: "drop_block" });
