import { chain, hashOf } from "../../kernel/hash.ts";
import type { Hash } from "../../kernel/ids.ts";
import type { SimModel } from "./models.ts";
import type { SimSegment } from "./segment.ts";
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
  return btoa(`${payload} ${seal(payload, of.text)}`);
}

/** The prefix that reasoning is bound to: everything rendered before it but reasoning itself, markers aside. */
export function bindingPrefix(segments: readonly SimSegment[]): Hash {
  return segments
    .filter((segment) => segment.kind !== "reasoning")
    .reduce<Hash>((hash, next) => chain(hash, next.hash), empty);
}

const empty = hashOf("");

/** The prefix that reasoning at the start of the message at `path` would be bound to. */
export function prefixBefore(segments: readonly SimSegment[], path: string): Hash {
  const end = segments.findIndex((segment) => segment.path.startsWith(path));
  return bindingPrefix(end === -1 ? segments : segments.slice(0, end));
}

/** Whether a block we sent was made by that model and, if asked, after that prefix. */
export function signedFor(block: Readonly<Record<string, unknown>>, model: string, prefix?: Hash): boolean {
  const sealed = openSignature(block);
  return sealed !== null && sealed.model === model && (prefix === undefined || sealed.prefix === prefix.slice(0, 24));
}

/** Looks at every thinking block of a request in order; after the first prefix mismatch all later ones are invalid. */
export function inspectThinking(
  body: Readonly<Record<string, unknown>>,
  segments: readonly SimSegment[],
  model: SimModel,
): ThinkingReport {
  let prefix = empty;
  let broken = false;
  const mismatched: Dropped[] = [];
  for (const segment of segments) {
    if (segment.kind !== "reasoning") {
      prefix = chain(prefix, segment.hash);
      continue;
    }
    const sealed = openSignature(blockAt(body, segment.path));
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

function openSignature(block: Readonly<Record<string, unknown>>): { model: string; prefix: string } | null {
  const redacted = block.type === "redacted_thinking";
  const [model = "", prefix = "", mac = ""] = decode(textOf(redacted ? block.data : block.signature)).split(" ");
  const text = redacted ? "" : textOf(block.thinking);
  return mac !== "" && mac === seal(`${model} ${prefix}`, text) ? { model, prefix } : null;
}

function decode(base64: string): string {
  return /^[A-Za-z0-9+/]+=*$/.test(base64) && base64.length % 4 === 0 ? atob(base64) : "";
}

function seal(payload: string, text: string): string {
  return hashOf(`varve-simulator\n${payload}\n${text}`).slice(0, 32);
}
