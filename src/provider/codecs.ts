import type { Wire } from "../kernel/usage.ts";
import { anthropicCodec } from "./anthropic/codec.ts";
import { chatCodec } from "./chat/codec.ts";
import type { Codec } from "./codec.ts";
import { geminiCodec } from "./gemini/codec.ts";
import { responsesCodec } from "./responses/codec.ts";

const codecs: Readonly<Record<Wire, Codec>> = {
  anthropic: anthropicCodec,
  chat: chatCodec,
  responses: responsesCodec,
  gemini: geminiCodec,
};

export function codecFor(wire: Wire): Codec {
  return codecs[wire];
}
