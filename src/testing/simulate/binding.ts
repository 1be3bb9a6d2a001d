import { chain, hashOf } from "../../kernel/hash.ts";
import type { Hash } from "../../kernel/ids.ts";
import type { Wire } from "../../kernel/usage.ts";
import type { SimModel } from "./models.ts";
import { decryptReasoning, reasoningItemAt } from "./responses-reasoning.ts";
import { decodeBase64, sealOf } from "./seal.ts";
import { isTurnScoped, type SimSegment } from "./segment.ts";
import { listOf, messagesOf, recordOf, textOf } from "./value.ts";

/** What happens to reasoning whose prefix changed: refused, dropped and reported, or not looked at (PROTOCOLS A.3). */
export type Binding = "error" | "drop_block" | "off";

export type Dropped = { readonly path: string; readonly reason: "model_binding_mismatch" | "prefix_binding_mismatch" };

export type ThinkingReport = {
  /** A signature that is not ours or does not fit its text: refused on every model. */
  readonly forged: string | null;
  readonly mismatched: readonly Dropped[];
};

/** Signs one thinking block for the prefix it was made after. */
export function signThinking(of: { readonly model: string; readonly prefix: Hash; readonly text: string }): string {
  const payload = `${of.model} ${of.prefix.slice(0, 24)}`;
  return btoa(`${payload} ${sealOf(payload, of.text)}`);
}

/** The prefix that reasoning is bound to: everything rendered before it but reasoning itself and what is for one turn, markers aside. */
export function bindingPrefix(segments: readonly SimSegment[]): Hash {
  return segments
    .filter((segment) => segment.kind !== "reasoning" && !isTurnScoped(segment))
    .reduce<Hash>(bindingNext, empty);
}

/** One segment further. */
function bindingNext(prefix: Hash, { resumes, hash }: SimSegment): Hash {
  return resumes ?? chain(prefix, hash);
}

const empty = hashOf("");

/** The prefix that reasoning at the start of the message at `path` would be bound to. */
export function prefixBefore(segments: readonly SimSegment[], path: string): Hash {
  const end = segments.findIndex((segment) => segment.path.startsWith(path));
  return bindingPrefix(end === -1 ? segments : segments.slice(0, end));
}

/** Whether reasoning we sent was made by that model and, if asked, after that prefix. */
export function signedFor(block: Readonly<Record<string, unknown>>, model: string, prefix?: Hash): boolean {
  const sealed = block.type === "reasoning" ? decryptReasoning(block.encrypted_content) : openSignature(block);
  return sealed !== null && sealed.model === model && (prefix === undefined || sealed.prefix === prefix.slice(0, 24));
}

type Sealed = { readonly model: string; readonly prefix: string };

/** Who signed the reasoning at a path and for what; null for a forgery. A wire without an opener signs nothing. */
const openers: Readonly<
  Record<Wire, ((body: Readonly<Record<string, unknown>>, path: string) => Sealed | null) | null>
> = {
  anthropic: (body, path) => openSignature(blockAt(body, path)),
  chat: null,
  responses: (body, path) => decryptReasoning(reasoningItemAt(body, path).encrypted_content),
  gemini: null,
};

/** Looks at every thinking block of a request in order; after the first prefix mismatch all later ones are invalid. */
export function inspectThinking(
  body: Readonly<Record<string, unknown>>,
  segments: readonly SimSegment[],
  model: SimModel,
): ThinkingReport {
  const open = openers[model.wire];
  let prefix = empty;
  let broken = false;
  const mismatched: Dropped[] = [];
  for (const segment of open === null ? [] : segments) {
    if (segment.kind !== "reasoning") {
      prefix = bindingNext(prefix, segment);
      continue;
    }
    const sealed = open?.(body, segment.path) ?? null;
    if (sealed === null) return { forged: segment.path, mismatched };
    if (sealed.model !== model.id) mismatched.push({ path: segment.path, reason: "model_binding_mismatch" });
    else if (model.thinking === "bound" && (broken || sealed.prefix !== prefix.slice(0, 24))) {
      broken = true;
      mismatched.push({ path: segment.path, reason: "prefix_binding_mismatch" });
    }
  }
  return { forged: null, mismatched };
}

/** The request's own setting wins over the account's; an account without the check has none at all. */
export function bindingOf(body: Readonly<Record<string, unknown>>, account: Binding): Binding {
  if (account === "off") return "off";
  const asked = recordOf(recordOf(body.thinking).block_binding).prefix_mismatch_behavior;
  return asked === "error" || asked === "drop_block" ? asked : account;
}

function blockAt(body: Readonly<Record<string, unknown>>, path: string): Readonly<Record<string, unknown>> {
  const [, message, , block] = path.split(".");
  return recordOf(listOf(messagesOf(body)[Number(message)]?.content)[Number(block)]);
}

function openSignature(block: Readonly<Record<string, unknown>>): Sealed | null {
  const redacted = block.type === "redacted_thinking";
  const [model = "", prefix = "", mac = ""] = decodeBase64(textOf(redacted ? block.data : block.signature)).split(" ");
  const text = redacted ? "" : textOf(block.thinking);
  return mac !== "" && mac === sealOf(`${model} ${prefix}`, text) ? { model, prefix } : null;
}
