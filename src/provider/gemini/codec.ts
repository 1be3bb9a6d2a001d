import type { Codec } from "../codec.ts";
import { growingSegments } from "../growing-segments.ts";
import { geminiCacheKey } from "./cache-key.ts";
import { cutGemini, linking } from "./cut.ts";
import { geminiDecoder } from "./decoder.ts";
import { encodeGemini } from "./encode.ts";
import { decodeForeignGemini } from "./foreign.ts";
import { draftOfRendered, headOf, partsOf } from "./part.ts";

const encoder = new TextEncoder();

export const geminiCodec: Codec = {
  wire: "gemini",
  encode: encodeGemini,
  segmentsOfDoc: growingSegments({
    head: (doc) => headOf(doc).map(draftOfRendered),
    pieces: (pieces, { model }, before) => partsOf(pieces, model, before).map(draftOfRendered),
    numbering: linking,
  }),
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
