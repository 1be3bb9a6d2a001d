import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { resultOf } from "../../src/mcp/result.ts";
import type { ServerAnswer, ServerContent } from "../../src/ports/servers.ts";

const of = { server: "shop", tool: "find" };
const text = (said: string): ServerContent => ({ type: "text", text: said });
const answer = (
  content: readonly ServerContent[],
  more: Partial<Extract<ServerAnswer, { type: "answer" }>> = {},
): ServerAnswer => ({ type: "answer", isError: false, content, structured: undefined, ...more });
const outputOf = (content: readonly ServerContent[], structured?: Parameters<typeof JSON.stringify>[0]) =>
  resultOf(answer(content, { structured }), of).output;

describe("texts", () => {
  test("one text is the output, byte for byte", () => {
    expect(outputOf([text("  a\n\nb \n")])).toBe("  a\n\nb \n");
  });

  test("several stand in their order, each on a line of its own", () => {
    expect(outputOf([text("a"), text("b\n"), text("c")])).toBe("a\nb\nc");
  });

  test("an answer without anything says so, with the server's name", () => {
    for (const content of [[], [text("")], [text(" \n")]])
      expect(outputOf(content)).toBe("[find of shop answered, and its answer is empty]");
  });

  test("what is not an answer keeps its ending and its words", () => {
    for (const type of ["failed", "timed-out", "interrupted"] as const)
      expect(resultOf({ type, why: "shop is gone." }, of)).toEqual({
        ending: type,
        output: "shop is gone.",
        images: [],
      });
  });
});

describe("C-051 · what the server says of an error is never replaced", () => {
  test("an error's text comes first, what it structured behind it", () => {
    const result = resultOf(answer([text("push rejected")], { isError: true, structured: { code: 7 } }), of);
    expect(result.ending).toBe("failed");
    expect(result.output).toBe('push rejected\nStructured content:\n{"code":7}');
  });

  test("without a text the structured content is the output", () => {
    expect(resultOf(answer([], { structured: { ok: true, ref: "x" } }), of)).toMatchObject({
      ending: "done",
      output: '{"ok":true,"ref":"x"}',
    });
  });

  test("a text alone is the output, whatever schema was promised", () => {
    expect(resultOf(answer([text("fine")]), of)).toMatchObject({ ending: "done", output: "fine" });
  });

  test("an error that says nothing is still an error", () => {
    expect(resultOf(answer([], { isError: true }), of)).toMatchObject({
      ending: "failed",
      output: "[find of shop failed and said nothing of why]",
    });
  });
});

describe("structured content stands beside the text only where the text does not say it", () => {
  const record = { name: "Ada", tags: ["a", "b"], age: 36, more: { x: null, y: false } };

  test.each([
    ["its JSON", JSON.stringify(record), record],
    ["its JSON, spaced", JSON.stringify(record, null, 4), record],
    [
      "its JSON with other keys first",
      '{"more":{"y":false,"x":null},"age":36.0,"tags":["a","b"],"name":"\\u0041da"}',
      record,
    ],
    ["its JSON in a fence behind words", `Here it is:\n\`\`\`json\n${JSON.stringify(record)}\n\`\`\``, record],
    ["more than it", '{"name":"Ada","age":36,"id":1}', { age: 36, name: "Ada" }],
    ["the text that it wraps", "Ada\nis 36", { content: "Ada\nis 36" }],
    ["the number that it wraps", "42", { result: 42 }],
    ["the list that it wraps", "[1,2]", { result: [1, 2] }],
    [
      "a rendering of it",
      "Temperature: 22.5 °C\nConditions: Partly cloudy\nHumidity: 65 %",
      { temperature: 22.5, conditions: "Partly cloudy", humidity: 65 },
    ],
  ])("%s", (_, said, structured) => {
    expect(outputOf([text(said)], structured)).toBe(said);
  });

  test("a list whose items are a text each", () => {
    expect(outputOf([text("a"), text('{"b":1}')], { result: ["a", { b: 1 }] })).toBe('a\n{"b":1}');
  });

  test.each([
    ["other words", "Found 2 people", { people: ["Ada", "Bob"] }],
    ["a part of it", '{"name":"Ada"}', record],
    ["a list in another order", "[2,1]", [1, 2]],
    ["another number that begins alike", "age: 36.5", { age: 36 }],
    ["a name that is part of a word", "ages: 36", { age: 36 }],
    ["an empty object for a full one", '{"a":{}}', { a: { b: 1 } }],
    ["the values without what they are of", "3 of 5", { from: 3, to: 5 }],
  ])("%s: both stand there once", (_, said, structured) => {
    expect(outputOf([text(said)], structured)).toBe(`${said}\nStructured content:\n${JSON.stringify(structured)}`);
  });

  test("a value nested deeper than any text of ours is left out by name", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(outputOf([text("ok")], deep)).toContain("structured content left out: nested deeper");
  });
});

describe("what is not text", () => {
  const png = btoa(
    `\x89PNG\r\n\x1a\n\0\0\0\rIHDR${[0, 0, 0, 40, 0, 0, 0, 30].map((byte) => String.fromCharCode(byte)).join("")}\x08\x06\0\0\0`,
  );

  test("an image is an image, and a line says where it stands", () => {
    const { output, images } = resultOf(
      answer([text("before"), { type: "image", mediaType: "image/png", data: png }, text("after")]),
      of,
    );
    expect(images).toEqual([{ mediaType: "image/png", data: png }]);
    expect(output).toBe("before\n[image 1: image/png, 40 x 30, 29 bytes]\nafter");
  });

  test("its bytes say what it is, whatever the server says", () => {
    const { images } = resultOf(
      answer([{ type: "image", mediaType: "image/jpg", data: `data:image/jpg;base64,${png}\n` }]),
      of,
    );
    expect(images).toEqual([{ mediaType: "image/png", data: png }]);
  });

  test.each([
    ["no image", "image/png", btoa("hello, world")],
    ["an image that no provider takes", "image/bmp", btoa(`BM${"\0".repeat(60)}`)],
    ["no base64", "image/png", "%%%"],
    ["nothing", "image/png", ""],
    ["only the beginning of one", "image/png", png.slice(0, 20)],
  ])("%s is a line with its size, and no image", (_, mediaType, data) => {
    const { output, images } = resultOf(answer([{ type: "image", mediaType, data }]), of);
    expect(images).toEqual([]);
    expect(output).toMatch(/^\[image, image\/\w+, \d+ bytes: not shown, .*\]$/);
  });

  test("images are bounded in number, in bytes and in pixels; the rest is said", () => {
    const many = Array.from({ length: bounds.resultImagesMax + 3 }, () => ({
      type: "image" as const,
      mediaType: "image/png",
      data: png,
    }));
    const { images, output } = resultOf(answer(many), of);
    expect(images).toHaveLength(bounds.resultImagesMax);
    expect(output.split("\n").filter((line) => line.includes("too many images"))).toHaveLength(3);
    const large = { type: "image" as const, mediaType: "image/png", data: png + "A".repeat(bounds.imageBytesMax * 2) };
    expect(resultOf(answer([large]), of).images).toEqual([]);
    const wide = btoa(atob(png).replace("\0\0\0\x28", "\0\0\xff\xff"));
    expect(resultOf(answer([{ type: "image", mediaType: "image/png", data: wide }]), of).output).toContain(
      "65535 x 30 pixels",
    );
  });

  test("images of bounds.resultImagesBytesMax in all are shown, and not a small one more", () => {
    const quarter = btoa(atob(png).padEnd(bounds.resultImagesBytesMax / 4, "\0"));
    const image = (data: string) => ({ type: "image", mediaType: "image/png", data }) as const;
    const { images, output } = resultOf(answer([...Array(4).fill(image(quarter)), image(png), text("end")]), of);
    expect(images).toHaveLength(4);
    expect(output.split("\n").slice(-2)).toEqual([
      "[image, image/png, 29 bytes: not shown, this result has too many images]",
      "end",
    ]);
  });

  test("a resource that is only named keeps its address, whole", () => {
    const uri = `file:///${"a/".repeat(400)}b.txt`;
    const link = {
      type: "link",
      uri,
      name: "b\nwith a line end",
      description: "d",
      mimeType: "text/plain",
      size: 1234,
    } as const;
    expect(outputOf([link])).toBe(`[resource ${uri} (b with a line end, text/plain, 1234 bytes): d]`);
  });

  test("text that came with the answer stands whole under its address, also where it came as bytes", () => {
    const embedded = { type: "embedded", uri: "memo:1", mimeType: "text/markdown", text: "# a\nb" } as const;
    const blob = { type: "blob", uri: "memo:2", mimeType: "application/json", data: btoa('{"a":1}') } as const;
    expect(outputOf([embedded, blob])).toBe(
      '[resource memo:1 (text/markdown)]\n# a\nb\n[resource memo:2 (application/json)]\n{"a":1}',
    );
  });

  test("sound, bytes and what is not known are told by kind and size", () => {
    const blob = { type: "blob", uri: "memo:3", mimeType: "application/zip", data: btoa("1234") } as const;
    expect(
      outputOf([
        { type: "audio", mediaType: "audio/wav", data: btoa("12345") },
        blob,
        { type: "other", json: '{"type":"hologram"}' },
      ]),
    ).toBe(
      '[audio, audio/wav, 5 bytes: not shown]\n[resource memo:3 (application/zip, 4 bytes): not text, not shown]\n[content of a type that is not known]\n{"type":"hologram"}',
    );
  });
});

describe("bounds", () => {
  test("blocks of content are bounded, and how many are left out is said", () => {
    const output = outputOf(Array.from({ length: bounds.resultBlocksMax + 5 }, () => text("x")));
    expect(output).toMatch(/\n\[5 more blocks of content left out\]$/);
  });

  test("a text of bounds.captureBytesMax is kept, a longer one loses its end, and says so", () => {
    const output = outputOf([text("x".repeat(bounds.captureBytesMax + 7))]);
    expect(output.slice(bounds.captureBytesMax)).toBe(
      "\n[… 7 characters were not kept: a call keeps the beginning of its answer …]",
    );
  });

  test("half a character never leaves", () => {
    expect(outputOf([text("a\ud800b")]).isWellFormed()).toBe(true);
  });
});
