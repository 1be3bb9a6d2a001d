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
): Pick<FormInput, "call" | "named" | "request"> {
  const { live } = state();
  const said = live.flatMap(saidIn).slice(-saidMax);
  const named = namesSaid(said.map((text) => textOf(text, texts)).toReversed());
  const request = live.findLast(isMessage);
  const words =
    request === undefined
      ? {}
      : {
          request: saidIn(request)
            .map((text) => textOf(text, texts))
            .join("\n"),
        };
  return { call: textOf(call.input, texts), named, ...words };
}

/** A call's input, or what the user said. */
function saidIn(piece: Piece): readonly Text[] {
  const { block } = piece;
  if (block.type === "tool-call") return [block.input];
  return isMessage(piece) && block.type === "text" ? [block.text] : [];
}

function isMessage(piece: Piece): boolean {
  return piece.role === "user" && piece.kind === "message" && piece.block.type === "text";
}
