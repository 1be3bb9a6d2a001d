import { cacheKeyOfMembers } from "../body.ts";
import type { Codec } from "../codec.ts";
import { growingSegments } from "../growing-segments.ts";
import { isOpenAi } from "../openai.ts";
import { cutChat } from "./cut.ts";
import { chatDecoder } from "./decoder.ts";
import { encodeChat } from "./encode.ts";
import { decodeForeignChat } from "./foreign.ts";
import { draftsOfRendered, headOf, messagesOf } from "./message.ts";

/** All of the cache key that is not text (law 2). */
const keyMembers = [
  "model",
  "reasoning_effort",
  "reasoning",
  "thinking",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "chat_template_kwargs",
  "prompt_cache_key",
];

const encoder = new TextEncoder();

export const chatCodec: Codec = {
  wire: "chat",
  encode: encodeChat,
  segmentsOfDoc: growingSegments({
    head: (doc) => headOf(doc).flatMap(draftsOfRendered),
    pieces: (pieces, { model }) => messagesOf(pieces, model).flatMap(draftsOfRendered),
  }),
  segments: cutChat,
  cacheKeyOf: (body) => cacheKeyOfMembers(body, keyMembers),
  cacheKeyOfDoc(doc) {
    // The tools stay: with them some models are asked for no effort.
    const bare = { ...doc, system: [], pieces: [] };
    return cacheKeyOfMembers(encoder.encode(encodeChat(bare).body), keyMembers);
  },
  decodeForeign: decodeForeignChat,
  placeMarks: () => [],
  abilities: (model) => ({ systemMessages: isOpenAi(model), effortUpdates: false }),
  decoder: chatDecoder,
};
