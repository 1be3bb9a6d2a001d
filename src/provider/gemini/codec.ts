import type { Codec } from "../codec.ts";
import { geminiCacheKey } from "./cache-key.ts";
import { cutGemini, segmentsOf } from "./cut.ts";
import { geminiDecoder } from "./decoder.ts";
import { encodeGemini } from "./encode.ts";
import { decodeForeignGemini } from "./foreign.ts";
import { draftOfRendered, renderedOf } from "./part.ts";

const encoder = new TextEncoder();

export const geminiCodec: Codec = {
  wire: "gemini",
  encode: encodeGemini,
  segmentsOfDoc: (doc) => segmentsOf(renderedOf(doc).map(draftOfRendered)),
  segments: cutGemini,
  cacheKeyOf: geminiCacheKey,
  cacheKeyOfDoc(doc) {
    const bare = { ...doc, tools: [], system: [], pieces: [] };
    return geminiCacheKey(encoder.encode(encodeGemini(bare).body), doc.model.model);
  },
  decodeForeign: decodeForeignGemini,
  placeMarks: () => [],
  abilities: () => ({ systemMessages: false, effortUpdates: false }),
  decoder: geminiDecoder,
};
