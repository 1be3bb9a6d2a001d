import { bounds } from "../../kernel/bounds.ts";
import type { CallId } from "../../kernel/ids.ts";
import type { AssistantBlock } from "../../log/block.ts";
import { legalToolName } from "../calls.ts";
import type { Delta } from "../codec.ts";
import { numberAt, recordAt, stringAt } from "../lenient.ts";
import { isJsonObject, wellFormedJson, wellFormedRaw } from "../text.ts";
import { toolNameCharsMax } from "./models.ts";

/** The calls of a message while their pieces arrive. */
export type CallList = {
  push(piece: Raw): readonly Delta[];
  close(idFor: (id: string) => CallId): readonly AssistantBlock[];
};

type Raw = Readonly<Record<string, unknown>>;
type OpenCall = { readonly index: number | null; id: string; name: string; input: string; others: Raw };

export function callList(): CallList {
  const calls: OpenCall[] = [];
  return {
    push(piece) {
      const known = callOf(calls, piece);
      if (known === undefined && calls.length >= bounds.blocksPerResponseMax) return [];
      const call = known ?? started(piece);
      if (known === undefined) calls.push(call);
      const hadName = call.name !== "";
      extend(call, piece);
      return !hadName && call.name !== "" ? [{ type: "call-start", tool: call.name }] : [];
    },
    close: (idFor) => calls.map((call) => closed(call, idFor)),
  };
}

/**
 * Which call a piece belongs to: the one with its index. Some servers give every call index 0, or none: a new id together
 * with a name then opens a call of its own, and a piece without both goes on with the last one.
 */
function callOf(calls: readonly OpenCall[], piece: Raw): OpenCall | undefined {
  const index = numberAt(piece, "index");
  const id = stringAt(piece, "id");
  const known = index === null ? undefined : calls.findLast((call) => call.index === index);
  const candidate = known ?? (index === null ? candidateWithoutIndex(calls, piece) : undefined);
  if (candidate === undefined) return undefined;
  const opensAnother = id !== "" && candidate.id !== "" && id !== candidate.id && nameOf(piece) !== "";
  return opensAnother ? undefined : candidate;
}

function candidateWithoutIndex(calls: readonly OpenCall[], piece: Raw): OpenCall | undefined {
  const id = stringAt(piece, "id");
  const same = id === "" ? undefined : calls.findLast((call) => call.id === id);
  if (same !== undefined) return same;
  // Without index and id, a name begins a call: whole calls come so, each in one piece.
  return id !== "" || nameOf(piece) !== "" ? undefined : calls.at(-1);
}

function nameOf(piece: Raw): string {
  return stringAt(recordAt(piece, "function"), "name");
}

function started(piece: Raw): OpenCall {
  return { index: numberAt(piece, "index"), id: "", name: "", input: "", others: {} };
}

function extend(call: OpenCall, piece: Raw): void {
  const { index: _index, id: _id, type: _type, function: made, ...others } = piece;
  call.others = { ...call.others, ...others };
  const id = stringAt(piece, "id");
  if (id !== "") call.id = id;
  const name = nameOf(piece);
  // The name comes whole, and from some servers again with every piece; a few cut it.
  if (name !== call.name) call.name += name;
  const input = typeof made === "object" && made !== null && "arguments" in made ? made.arguments : "";
  call.input += typeof input === "string" ? input : JSON.stringify(input ?? "");
}

/**
 * The input is kept as it came, also where it is no JSON object: the agent answers with an error result. What goes back
 * then carries `{}`: templates that parse it would refuse the whole history otherwise (CASES C-023).
 */
function closed(call: OpenCall, idFor: (id: string) => CallId): AssistantBlock {
  const callId = idFor(call.id);
  const tool = call.name === "" ? "unnamed" : call.name;
  const input = call.input.trim() === "" ? "{}" : call.input;
  const made = {
    name: legalToolName(tool, toolNameCharsMax),
    arguments: isJsonObject(input) ? wellFormedRaw(input) : "{}",
  };
  // Unknown members (a gateway's signature, say) go back as they came.
  const wire = wellFormedJson({ id: callId, type: "function", function: made, ...call.others });
  return { type: "tool-call", callId, tool, input, wire };
}
