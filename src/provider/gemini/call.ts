import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import { compactText, scanJson } from "../../kernel/json-spans.ts";
import { madeOnce } from "../../kernel/once.ts";
import type { Piece } from "../../log/block.ts";
import { quoted } from "../../prompt/apply.ts";
import { recordOf, stringAt } from "../lenient.ts";
import { inputObject, plain } from "../text.ts";
import { field, valueAt } from "./fields.ts";

/** A call as it stands in the request: its answer repeats the name, and the id where there is one. */
export type CallOnWire = {
  readonly id: string | null;
  readonly name: string;
  /** Whether it carries a signature of the provider's. */
  readonly signed: boolean;
  readonly json: string;
};

export type CallPiece = Piece & { readonly role: "assistant" } & { readonly block: { readonly type: "tool-call" } };

export function isCall(piece: Piece): piece is CallPiece {
  return piece.role === "assistant" && piece.block.type === "tool-call";
}

const callFor = madeOnce<CallPiece, CallOnWire>();

export function callOnWire(piece: CallPiece): CallOnWire {
  const { from, block } = piece;
  return callFor(piece, () => (from === "gemini" ? (received(block) ?? rebuilt(block)) : rebuilt(block)));
}

/** Documented for calls whose signature was lost or never existed (PROTOCOLS C.2). Never put over a real one. */
const dummySignature = "skip_thought_signature_validator";

export function withDummySignature({ json, signed }: CallOnWire): string {
  if (signed) return json;
  const bytes = new TextEncoder().encode(json);
  const node = scanJson(bytes);
  const empty = field(node, "thoughtSignature");
  const bare = empty === undefined ? json : compactText(bytes, node, new Map([[empty, null]]));
  return `${bare.slice(0, -1)},"thoughtSignature":"${dummySignature}"}`;
}

/** A name as this service takes it: at most 128 of letters, digits and `_.:-`, a letter or `_` first. */
export function legalFunctionName(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_.:-]/g, "_");
  const begun = /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`;
  return name === "" ? "unnamed" : begun.slice(0, 128);
}

type CallBlock = CallPiece["block"];

/** The part exactly as the model gave it, id or none. */
function received({ wire }: CallBlock): CallOnWire | null {
  if (wire === undefined) return null;
  const json = plain(wire);
  const parsed = parseJson(json);
  const part = parsed.type === "ok" ? recordOf(parsed.value) : {};
  const call = valueAt(part, "functionCall");
  if (!isRecord(call)) return null;
  const id = stringAt(call, "id");
  const signature = valueAt(part, "thoughtSignature");
  const signed = typeof signature === "string" && signature !== "";
  return { id: id === "" ? null : id, name: stringAt(call, "name"), signed, json };
}

/** A call that came by another wire, or whose own form is no longer valid, from its neutral fields. */
function rebuilt({ tool, input }: CallBlock): CallOnWire {
  const name = legalFunctionName(tool);
  const json = `{"functionCall":{"name":${quoted(name)},"args":${inputObject(input)}}}`;
  return { id: null, name, signed: false, json };
}
