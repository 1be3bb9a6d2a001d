import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Piece, PieceKind } from "../../src/log/block.ts";
import type { Fact } from "../../src/log/facts.ts";
import { factsText, factsUnseen, retiredText, stillSaid } from "../../src/prompt/facts.ts";

const fact = (text: string, from: Fact["from"] = "elsewhere"): Fact => ({
  id: brand(text),
  text,
  scope: "session",
  from,
});
const piece = (kind: PieceKind, text: string): Piece => ({
  id: "1.0",
  role: "user",
  kind,
  block: { type: "text", text },
});
const said = (text: string): Piece => ({
  id: "1.0",
  role: "assistant",
  from: "anthropic",
  block: { type: "text", text },
});
const rule = fact("use tabs");
const block = piece("facts", factsText([rule, fact("two\nlines")]));
const unseen = (pieces: readonly Piece[], one = rule) => factsUnseen([one], pieces, () => false).length === 1;

describe("a fact is seen", () => {
  test.each<[string, boolean, readonly Piece[], Fact?]>([
    ["in a block", false, [block]],
    ["in a block, with its own line breaks", false, [block], fact("two\nlines")],
    ["not as a part of another fact", true, [piece("facts", factsText([fact("do not use tabs")]))]],
    ["in the message it came from", false, [piece("message", "please use tabs here")], fact("use tabs", "message")],
    ["not in a message that has its words by chance", true, [piece("message", "do not use tabs")]],
    [
      "not in a reminder, a fold, the context, an answer",
      true,
      [
        piece("reminder", block.block.type === "text" ? String(block.block.text) : ""),
        piece("fold", "\n- use tabs\n"),
        piece("context", "\n- use tabs\n"),
        said("\n- use tabs\n"),
      ],
    ],
    ["not behind word that it was retired", true, [block, piece("facts", retiredText([rule]))]],
    ["again, when it is said again behind that", false, [block, piece("facts", retiredText([rule])), block]],
    ["not in the part of a block that says what is retired", true, [piece("facts", factsText([fact("x")], [rule]))]],
    ["nowhere in nothing", true, []],
  ])("%s", (_name, isUnseen, pieces, one = rule) => {
    expect(unseen(pieces, one)).toBe(isUnseen);
  });

  test("no further than bounds.factDistanceTokensMax from the end", () => {
    const filler = (tokens: number) => said("word ".repeat(tokens));
    expect(unseen([block, filler(bounds.factDistanceTokensMax / 2)])).toBe(false);
    const far = [block, filler(bounds.factDistanceTokensMax * 1.2), said("x")];
    expect(unseen(far)).toBe(true);
    // Not yet sent, it cannot be said any later.
    expect(factsUnseen([rule], far, () => true)).toEqual([]);
  });
});

test("retired facts are spoken of again only where their words still stand", () => {
  expect(stillSaid([rule, fact("other")], ["please use tabs here", ""])).toEqual([rule]);
});

test("a lone surrogate of a damaged log is said as it can be sent, and then is seen", () => {
  const odd = fact("x\ud800y");
  expect(unseen([piece("facts", factsText([odd]).toWellFormed())], odd)).toBe(false);
});
