import { type JsonNode, memberOf } from "../../kernel/json-spans.ts";
import { type Body, blocksOf, objectOf } from "../body.ts";
import { BodyError } from "../body-error.ts";

/** Throws `BodyError` unless the bytes are a JSON object with an `input`, a list of items or one text. */
export function responsesBodyOf(bytes: Uint8Array): Body {
  const body = objectOf(bytes);
  const input = memberOf(body.root, "input")?.type;
  if (input !== "array" && input !== "string") throw new BodyError("input", "is no list and no text");
  return body;
}

/** A text is the shorthand of one user message. */
export function itemsOf({ root }: Body): readonly JsonNode[] {
  return blocksOf(memberOf(root, "input"));
}
