import { describe, expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import type { Piece } from "../../src/log/block.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";

const user = (id: string, text = "x"): Piece => ({ id, role: "user", kind: "message", block: { type: "text", text } });
const said = (id: string): Piece => ({ id, role: "assistant", from: "chat", block: { type: "text", text: "ok" } });
const call = (id: string, callId: string): Piece => ({
  id,
  role: "assistant",
  from: "chat",
  block: { type: "tool-call", callId: brand(callId), tool: "T", input: "{}" },
});
const result = (id: string, callId: string): Piece => ({
  id,
  role: "user",
  kind: "result",
  block: { type: "tool-result", callId: brand(callId), tool: "T", text: "", isError: false },
});
const system = (id: string, text = "s"): Piece => ({
  id,
  role: "system",
  kind: "reminder",
  block: { type: "text", text },
});

describe("law 4 · wellformed", () => {
  test.each<[string, readonly Piece[], string | null]>([
    ["a question", [user("1.0")], null],
    [
      "a closed tool loop",
      [user("1.0"), call("2.0", "a"), call("2.1", "b"), result("3.0", "a"), result("3.1", "b"), user("4.0")],
      null,
    ],
    [
      "several user texts, then a system text",
      [user("1.0"), user("2.0"), system("3.0"), said("4.0"), user("5.0")],
      null,
    ],
    ["nothing", [], "there is no message"],
    ["the assistant first", [said("1.0"), user("2.0")], "1.0: the first message is the assistant's"],
    ["the assistant last", [user("1.0"), said("2.0")], "the last message is the assistant's"],
    ["an unanswered call at the end", [user("1.0"), call("2.0", "a")], "calls without a result: a"],
    [
      "one of two unanswered",
      [user("1.0"), call("2.0", "a"), call("2.1", "b"), result("3.0", "a")],
      "calls without a result: b",
    ],
    [
      "text before a result",
      [user("1.0"), call("2.0", "a"), user("3.0"), result("3.1", "a")],
      "3.0: stands before the result of a",
    ],
    [
      "text between results",
      [user("1.0"), call("2.0", "a"), call("2.1", "b"), result("3.0", "a"), user("3.1"), result("3.2", "b")],
      "3.1: stands before the result of b",
    ],
    ["the next answer before a result", [user("1.0"), call("2.0", "a"), said("3.0")], "3.0: no result of a"],
    ["an orphan result", [user("1.0"), result("1.1", "a")], "1.1: the result of a answers no open call"],
    [
      "a result given twice",
      [user("1.0"), call("2.0", "a"), result("3.0", "a"), result("3.1", "a")],
      "3.1: the result of a answers no open call",
    ],
    [
      "an id used twice",
      [user("1.0"), call("2.0", "a"), result("3.0", "a"), call("4.0", "a"), result("5.0", "a")],
      "4.0: the call id a is used twice",
    ],
    ["an empty id", [user("1.0"), call("2.0", "")], "2.0: a call without an id"],
    ["an empty text of ours", [user("1.0", " \n")], "1.0: an empty text"],
    ["an empty system text", [user("1.0"), system("1.1", "")], "1.1: an empty text"],
    ["a system text first", [system("1.0"), user("2.0")], "1.0: a system text before the first message"],
    [
      "a system text inside a tool loop",
      [user("1.0"), call("2.0", "a"), system("3.0"), result("3.1", "a")],
      "3.0: a system text between a call and its result",
    ],
    [
      "a system text behind the assistant",
      [user("1.0"), said("2.0"), system("3.0")],
      "3.0: a system text right behind the assistant's message",
    ],
    [
      "a user block behind a system text",
      [user("1.0"), system("1.1"), user("1.2")],
      "1.2: a user block behind a system text",
    ],
  ])("%s", (_name, pieces, want) => {
    expect(wellformed(pieces)).toBe(want);
  });
});
