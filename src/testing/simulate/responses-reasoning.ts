import type { Hash } from "../../kernel/ids.ts";
import { decodeBase64, sealOf } from "./seal.ts";
import { inputItemsOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** The encrypted content of a reasoning item: the reasoning itself, its model and what it came after (PROTOCOLS B.3). */
export function encryptReasoning(of: { readonly model: string; readonly prefix: Hash; readonly text: string }): string {
  const payload = `${of.model} ${of.prefix.slice(0, 24)}`;
  return btoa(`${payload} ${sealOf(payload, of.text)} ${encodeURIComponent(of.text)}`);
}

/** Null for what we did not make. */
export function decryptReasoning(
  encrypted: unknown,
): { readonly model: string; readonly prefix: string; readonly text: string } | null {
  const [model = "", prefix = "", mac = "", encoded = ""] = decodeBase64(textOf(encrypted)).split(" ");
  const text = decoded(encoded);
  return text !== null && mac !== "" && mac === sealOf(`${model} ${prefix}`, text) ? { model, prefix, text } : null;
}

/** The reasoning item that a segment's path `input.N.0` names. */
export function reasoningItemAt(body: Body, path: string): Body {
  return inputItemsOf(body)[Number(path.split(".")[1])] ?? {};
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not ours: what we encoded can be decoded.
    return null;
  }
}
