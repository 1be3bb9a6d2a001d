import { chatCodec } from "../chat/codec.ts";
import type { Codec } from "../codec.ts";

export const responsesCodec: Codec = { ...chatCodec, wire: "responses" };
