import { chatCodec } from "../chat/codec.ts";
import type { Codec } from "../codec.ts";

export const geminiCodec: Codec = { ...chatCodec, wire: "gemini" };
