import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StopReason } from "../../src/log/entry.ts";
import { summaryAsks, summaryHeadings, summaryInstruction } from "../../src/reduction/summary-request.ts";
import { judgeSummary } from "../../src/reduction/summary-verdict.ts";

const limits = { tokensMax: 2_000, replacedTokens: 20_000 };
const judge = (text: string, more: { readonly calls?: number; readonly stop?: StopReason } = {}, of = limits) =>
  judgeSummary({ text, calls: more.calls ?? 0, stop: more.stop ?? "end-turn" }, of);
const outcomeOf = (...args: Parameters<typeof judge>) => judge(...args).outcome;
const framed = (text: string) => `<summary>\n${text}\n</summary>`;
/** Sections that say something each. */
const sections = (headings: readonly string[] = summaryHeadings) =>
  headings
    .map((heading, at) => `${at + 1}. ${heading}\n- thing ${at}: src/part-${at}.ts has ${at * 7} rows`)
    .join("\n\n");
const chinese = ["目标", "规则与限制", "决定", "文件", "命令", "错误", "未完成", "当前工作", "下一步"];
const request = summaryInstruction({
  kind: "all",
  focus: "",
  strict: false,
  tokensMax: 2_000,
  begins: null,
  ends: null,
});

describe("a summary is accepted", () => {
  test.each([
    ["in its tags", framed(sections())],
    ["without tags, with its sections", sections()],
    ["with its sections as headings of Markdown", sections().replaceAll(/^\d\. /gm, "## ")],
    ["with numbered sections of the user's language, without tags", sections(chinese)],
    [
      "with numbers as Chinese writes them",
      chinese.map((one, at) => `${"一二三四五六七八九"[at]}、${one}\n做了第${at}件`).join("\n"),
    ],
    ["in the user's language, in its tags", framed(sections(chinese))],
    [
      "in its tags, in sentences",
      framed("The parser in src/a.ts was split; npm test passes with 41 tests. Docs are next."),
    ],
    ["inside a code fence", `\`\`\`xml\n${framed(sections())}\n\`\`\``],
    ["behind a preface", `Here it is.\n\n${framed(sections())}\nAnything else?`],
    ["with tags in capitals", framed(sections()).replaceAll("summary", "SUMMARY")],
    ["that says of an error how it was solved", framed(`Error handling was moved to src/errors.ts. ${sections()}`)],
  ])("%s", (_, text) => {
    expect(judge(text).outcome).toBe("accepted");
  });

  test("without its tags and without what the model thought, in any of the usual tags", () => {
    for (const name of ["analysis", "thinking", "think", "ANALYSIS"]) {
      const verdict = judge(`<${name}>I look at <summary> first</${name}>\n${framed(sections())}`);
      expect(verdict).toEqual({ outcome: "accepted", text: sections() });
    }
  });

  test("whole where it quotes the tag", () => {
    const text = `${sections()}\nsrc/page.html: <details><summary>More</summary></details> was added`;
    expect(judge(framed(text))).toEqual({ outcome: "accepted", text });
  });

  test("with no change to one sign of its text (any text between the tags)", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("名", "🙂", "a", "İ", "ß", "\n", " ", "-"), { maxLength: 60 }), (signs) => {
        const text = `${sections()}\n${signs.join("")}.`.trim();
        expect(judge(framed(text))).toEqual({ outcome: "accepted", text });
      }),
      { numRuns: 50 },
    );
  });
});

describe("an answer is refused", () => {
  const error = "Error 503: upstream connect error or disconnect before headers. Request failed.";
  test.each([
    ["tool-call", "a tool call, whatever stands beside it", framed(sections()), { calls: 1 }],
    ["tool-call", "a tool call written as text", 'I will look.\n<tool_call>{"name": "Read"}</tool_call>', {}],
    ["empty", "nothing", "", {}],
    ["empty", "blanks", " \n\t ", {}],
    ["empty", "nothing between the tags", framed("  "), {}],
    ["empty", "thoughts only", "<analysis>long and deep</analysis>", {}],
    ["empty", "thoughts that never end", "<thinking>long and deep", {}],
    ["empty", "headings only", framed(summaryHeadings.join("\n")), {}],
    [
      "empty",
      "a blank form (C-013)",
      framed(summaryHeadings.map((one, at) => `${at + 1}. ${one}: none`).join("\n")),
      {},
    ],
    [
      "empty",
      "a blank form in another language",
      framed(chinese.map((one, at) => `${at + 1}. ${one}：无`).join("\n")),
      {},
    ],
    ["empty", "one word for nothing", framed("None."), {}],
    ["junk", "talk", "Sure! Let me know what you would like to do next.", {}],
    ["junk", "a word in tags", framed("ok"), {}],
    ["junk", "an error's text", error, {}],
    ["junk", "an error's text in tags", framed(error), {}],
    ["junk", "an error as JSON", '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', {}],
    ["junk", "an error's page in tags", framed("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>"), {}],
    ["junk", "a status in tags", framed("HTTP 500 Internal Server Error while summing up"), {}],
    ["junk", "a refusal", "I'm sorry, but I can't help with that.", {}],
    ["junk", "a refusal in tags", framed("I cannot summarize this conversation because of its content."), {}],
    ["junk", "a refusal in Chinese", framed("抱歉，我无法总结这段对话的内容，请换一个问题。"), {}],
    ["junk", "a refusal by its stop", framed(sections()), { stop: "refusal" }],
    ["junk", "the request again", request, {}],
    [
      "junk",
      "what the request asks for, section by section",
      framed(summaryHeadings.map((one, at) => `${at + 1}. ${one}: ${summaryAsks[at]}`).join("\n")),
      {},
    ],
    ["junk", "one sentence for ever", framed("The user wants the parser fixed. ".repeat(100)), {}],
    ["junk", "one sentence of another language for ever", framed("用户想修复解析器。".repeat(100)), {}],
    [
      "junk",
      "the same under each heading",
      framed(summaryHeadings.map((one) => `${one}\n${"go on and on ".repeat(40)}`).join("\n")),
      {},
    ],
    ["truncated", "no end of the tags", `<summary>\n${sections().slice(0, 200)}`, {}],
    ["truncated", "the output limit in the middle", `<summary>\n${sections().slice(0, 250)}`, { stop: "output-limit" }],
    ["truncated", "the output limit without tags", "The user wants the parser to", { stop: "output-limit" }],
    ["truncated", "the output limit while thinking", "<analysis>first I", { stop: "output-limit" }],
    ["truncated", "the window's end", "", { stop: "window-exceeded" }],
  ] as const)("as %s: %s", (outcome, _, text, more) => {
    const verdict = judge(text, more);
    expect(verdict.outcome).toBe(outcome);
    expect(verdict).toHaveProperty("detail");
  });

  test("as larger: no smaller than what it would stand for, or over its limit by more than a half (law 8)", () => {
    const text = framed(sections());
    expect(outcomeOf(text, {}, { tokensMax: 2_000, replacedTokens: 100 })).toBe("larger");
    expect(outcomeOf(text, {}, { tokensMax: 50, replacedTokens: 20_000 })).toBe("larger");
    expect(outcomeOf(text, {}, { tokensMax: 150, replacedTokens: 20_000 })).toBe("accepted");
  });
});

describe("a summary that broke off", () => {
  const whole = `<summary>\n${sections()}`;
  test("is used up to its last whole section where what is open is among them, and says so", () => {
    const verdict = judge(whole.slice(0, -20), { stop: "output-limit" });
    if (verdict.outcome !== "accepted") return expect.fail(verdict.outcome);
    expect(verdict.text).toContain("8. Work at hand");
    expect(verdict.text).not.toContain("9. Next step");
    expect(verdict.text).toMatch(/broke off here/);
  });

  test("is refused where more is missing", () => {
    expect(outcomeOf(whole.slice(0, whole.indexOf("7. What is open") + 30), { stop: "output-limit" })).toBe(
      "truncated",
    );
  });

  test("is whole where its tags were closed in time", () => {
    expect(judge(framed(sections()), { stop: "output-limit" })).toEqual({ outcome: "accepted", text: sections() });
  });
});

test("any answer has a verdict, and what is accepted is smaller than what it stands for", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom("<summary>", "</summary>", "<analysis>", "</analysis>", "1. ", "## ", "\n", ...summaryHeadings),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(300), (pieces, replacedTokens) => {
      const verdict = judge(pieces.join(""), {}, { tokensMax: 100, replacedTokens });
      if (verdict.outcome === "accepted") expect(verdict.text.length).toBeGreaterThan(0);
      else expect(verdict.detail.length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
