import { memberOf } from "../../kernel/json-spans.ts";
import { type Body, objectOf } from "../body.ts";
import { BodyError } from "../body-error.ts";

/** Throws `BodyError` unless the bytes are a JSON object with a list of contents: all that we ask of a foreign body. */
export function geminiBody(bytes: Uint8Array): Body {
  const body = objectOf(bytes);
  if (memberOf(body.root, "contents")?.type !== "array") throw new BodyError("contents", "is no list");
  return body;
}
