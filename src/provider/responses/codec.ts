import { cacheKeyOfMembers } from "../body.ts";
import type { Codec } from "../codec.ts";
import { growingSegments } from "../growing-segments.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { cutResponses } from "./cut.ts";
import { responsesDecoder } from "./decoder.ts";
import { encodeResponses } from "./encode.ts";
import { decodeForeignResponses } from "./foreign.ts";
import { headOf, itemsOf } from "./item.ts";
import { placeMarks } from "./marks.ts";
import { draftsOfRendered } from "./rendered.ts";

/** All of the cache key that is not text (law 2). */
const keyMembers = [
  "model",
  "reasoning",
  "text",
  "tool_choice",
  "parallel_tool_calls",
  "service_tier",
  "prompt_cache_key",
];

const encoder = new TextEncoder();

export const responsesCodec: Codec = {
  wire: "responses",
  encode: encodeResponses,
  segmentsOfDoc: growingSegments({
    head: (doc) => headOf(doc).flatMap(draftsOfRendered),
    pieces: (pieces, setting, before) => itemsOf(pieces, setting, before).flatMap(draftsOfRendered),
  }),
  segments: cutResponses,
  cacheKeyOf: (body) => cacheKeyOfMembers(body, keyMembers),
  cacheKeyOfDoc(doc) {
    const bare = { ...doc, tools: [], system: [], pieces: [] };
    return cacheKeyOfMembers(encoder.encode(encodeResponses(bare, []).body), keyMembers);
  },
  decodeForeign: decodeForeignResponses,
  placeMarks,
  abilities(model) {
    const { configurationUpdates, searchesTools, sumsUp } = capabilitiesOf(model);
    return {
      systemMessages: true,
      effortUpdates: configurationUpdates,
      ...(searchesTools ? { revealsTools: true } : {}),
      ...(sumsUp ? { sumsUp } : {}),
    };
  },
  decoder: responsesDecoder,
};
