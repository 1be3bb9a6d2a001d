import { type JsonNode, stringMember } from "../kernel/json-spans.ts";
import { own } from "../kernel/own.ts";
import type { Segment } from "../prompt/segment.ts";

/** Whose side of the conversation a foreign message stands on; roles we do not know are the user's. */
export function roleOfMessage(bytes: Uint8Array, message: JsonNode): Segment["role"] {
  return own(roles, stringMember(bytes, message, "role") ?? "") ?? "user";
}

const roles: Readonly<Record<string, Segment["role"]>> = {
  user: "user",
  assistant: "assistant",
  system: "system",
  developer: "system",
};
