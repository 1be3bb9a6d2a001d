import type { FormInput } from "../digest/form.ts";
import type { Piece, Text } from "../log/block.ts";
import type { Call } from "../log/state.ts";
import { textOf } from "../prompt/render.ts";
import { namesSaid, saidMax } from "../reduction/names-said.ts";
import type { Lane } from "./lane.ts";

/** What ranks the lines of a first form: what the call asked for, and the names that the conversation has used lately. */
export function askedBy(
  call: Call,
  { state, texts }: Pick<Lane, "state" | "texts">,
): Pick<FormInput, "call" | "named"> {
  const said = state().live.flatMap(saidIn).slice(-saidMax);
  return { call: textOf(call.input, texts), named: namesSaid(said.map((text) => textOf(text, texts)).toReversed()) };
}

/** A call's input, or what the user said. */
function saidIn(piece: Piece): readonly Text[] {
  const { block } = piece;
  if (block.type === "tool-call") return [block.input];
  return piece.role === "user" && piece.kind === "message" && block.type === "text" ? [block.text] : [];
}
