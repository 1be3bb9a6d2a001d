import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineSplitter } from "../../src/import/lines.ts";
import { readTranscript } from "../../src/import/read.ts";
import type { Item } from "../../src/import/transcript.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { gathered, itemsOfText, ofType } from "./items.ts";

const encoder = new TextEncoder();

function said(n: number, more: Readonly<Record<string, unknown>> = {}): string {
  const uuid = `u${n}`;
  const parentUuid = n === 1 ? null : `u${n - 1}`;
  const message = { role: "user", content: `message ${n}` };
  return JSON.stringify({
    type: "user",
    uuid,
    parentUuid,
    sessionId: "s",
    timestamp: "2026-01-01T00:00:00Z",
    message,
    ...more,
  });
}

function textsOf(items: readonly Item[]): readonly string[] {
  return ofType(items, "message").map(({ text }) => text);
}

async function whyForeign(bytes: string | Uint8Array): Promise<string> {
  const found = await readTranscript([typeof bytes === "string" ? encoder.encode(bytes) : bytes]);
  return found.type === "foreign" ? found.why : `a ${found.format}`;
}

describe("bad lines cost no others", () => {
  test.each([
    ["no JSON", "{oops", /^no JSON/],
    ["a list", "[1, 2]", /a list of 2 in the place of a record/],
    ["a number", "12", /a number in the place/],
    ["null", "null", /null in the place/],
    ["zero bytes", "\0\0\0\0", /^4 zero bytes$/],
    ["too deep", `{"a":${"[".repeat(500)}${"]".repeat(500)}}`, /nested deeper/],
  ])("%s in the middle is named with its line", async (_name, bad, why) => {
    const items = await itemsOfText([said(1), bad, said(2), ""].join("\n"));
    expect(textsOf(items)).toEqual(["message 1", "message 2"]);
    const [item, ...others] = ofType(items, "unreadable");
    expect(item).toMatchObject({ line: 2 });
    expect(item?.why).toMatch(why);
    expect(others).toEqual([]);
  });

  test("a byte order mark, CRLF and blank lines are nothing to name", async () => {
    const items = await itemsOfText(`\uFEFF${said(1)}\r\n\r\n   \n${said(2)}\r\n`);
    expect(textsOf(items)).toEqual(["message 1", "message 2"]);
    expect(ofType(items, "unreadable")).toEqual([]);
    expect(ofType(items, "message").map(({ line }) => line)).toEqual([1, 4]);
  });

  test("a torn line in which very many records may begin costs no more than others", async () => {
    const torn = '{"id":'.repeat(200_000);
    const items = await itemsOfText([said(1), torn, `${torn}${said(2)}`, said(3), ""].join("\n"));
    expect(textsOf(items)).toEqual(["message 1", "message 2", "message 3"]);
    expect(ofType(items, "unreadable").map(({ line }) => line)).toEqual([2, 3]);
  });

  test("a last line that the file ends in is said to be cut; one that is whole is read", async () => {
    const cut = await itemsOfText(`${said(1)}\n${said(2).slice(0, 40)}`);
    expect(ofType(cut, "unreadable")[0]?.why).toMatch(/^the file ends inside this record/);
    expect(textsOf(await itemsOfText(`${said(1)}\n${said(2)}`))).toEqual(["message 1", "message 2"]);
  });

  test("a record behind zero bytes, or behind the torn end of another, is read", async () => {
    const items = await itemsOfText(`${said(1)}\n\0\0\0${said(2)}\n${said(9).slice(0, 60)}${said(3)}\n`);
    expect(textsOf(items)).toEqual(["message 1", "message 2", "message 3"]);
    expect(ofType(items, "unreadable").map(({ why }) => why)).toEqual([
      "3 zero bytes beside a record",
      "60 characters of a torn record before this one",
    ]);
  });

  test("transcriptLineBytesMax: of a longer line only the length is said", async () => {
    const long = said(2, { padding: "x".repeat(bounds.transcriptLineBytesMax) });
    const items = await itemsOfText([said(1), long, said(3)].join("\n"));
    expect(textsOf(items)).toEqual(["message 1", "message 3"]);
    expect(ofType(items, "unreadable")[0]?.why).toBe(`line 2 is too long: ${encoder.encode(long).length} bytes`);
  });

  test("a first record that is unreadable does not hide the format", async () => {
    const items = await itemsOfText(`{"type":"us\n${said(1)}\n`);
    expect(textsOf(items)).toEqual(["message 1"]);
  });

  test("what is kept is named by the numbers of the file, unreadable lines counted", async () => {
    const again = said(9, { parentUuid: "u1", uuid: "u9" });
    const items = await itemsOfText(["{", said(1), "{", said(2), "{", again].join("\n"));
    const [restart] = ofType(items, "restarted");
    const kept = restart?.keeps.flatMap(([from, to]) => items.slice(from, to + 1)) ?? [];
    expect(textsOf(kept)).toEqual(["message 1"]);
  });
});

describe("a file of no known format is a value that says what was found", () => {
  test.each([
    ["empty", "", /^the file is empty$/],
    ["white space", " \n\n\t", /nothing but white space/],
    ["zeros", "\0\0\0", /nothing but white space and zero bytes/],
    ["text", "Dear diary,\nnothing happened.", /found text that begins with "Dear diary/],
    ["escape codes", "\u001b[31mred", /found binary data/],
    [
      "other lines",
      '{"level":"info","msg":"up"}\n{"level":"warn","msg":"hm"}\n',
      /lines of JSON with the fields level, msg/,
    ],
    [
      "another object",
      '{\n  "name": "demo",\n  "type": "module"\n}\n',
      /one JSON object with the fields name, type \(type module\)/,
    ],
    ["a list", '[{"a": 1}, 2]', /a JSON list of 2, the first with the fields a/],
    ["cut JSON", '{\n  "messages": [\n    {"role": "us', /JSON that is cut off/],
  ])("%s", async (_name, text, why) => {
    expect(await whyForeign(text)).toMatch(why);
  });

  test.each([
    ["gzip", [0x1f, 0x8b, 8, 0], /gzip data/],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0], /UTF-16/],
    ["a database", [...encoder.encode("SQLite format 3\0")], /an SQLite database/],
    ["bytes", [0xde, 0xad, 0, 1], /binary data/],
  ])("%s is told by its first bytes", async (_name, bytes, why) => {
    expect(await whyForeign(Uint8Array.from(bytes))).toMatch(why);
  });

  test("transcriptDocumentBytesMax: a larger document is not read", async () => {
    const blank = encoder.encode(" ".repeat(1024 * 1024));
    const pieces = Math.ceil(bounds.transcriptDocumentBytesMax / blank.length) + 1;
    let taken = 0;
    function* chunks() {
      yield encoder.encode('{"messages": [');
      for (; taken < pieces * 2; taken += 1) yield blank;
    }
    const found = await readTranscript(chunks());
    expect(found).toEqual({
      type: "foreign",
      why: `one JSON value of more than ${bounds.transcriptDocumentBytesMax} bytes`,
    });
    expect(taken).toBeLessThan(pieces + 2);
  });

  test("transcriptLinesSniffed: so many lines without a record end the search", async () => {
    const noise = "noise\n".repeat(bounds.transcriptLinesSniffed);
    expect(await whyForeign(`${noise}${said(1)}\n`)).toMatch(/text that begins with "noise/);
  });

  test("transcriptRecordsSniffed: the first records decide", async () => {
    const other = `${JSON.stringify({ level: "info" })}\n`;
    expect(await whyForeign(other.repeat(bounds.transcriptRecordsSniffed) + said(1))).toMatch(/fields level/);
    expect(await whyForeign(other.repeat(bounds.transcriptRecordsSniffed - 1) + said(1))).toBe("a claude-code");
  });
});

test("whoever reads a part closes the file; whoever reads no session does, too", async () => {
  let closed = 0;
  async function* chunks(text: string) {
    try {
      for (;;) yield encoder.encode(text);
    } finally {
      closed += 1;
    }
  }
  const found = await readTranscript(chunks(`${said(1)}\n`));
  if (found.type === "transcript") for await (const _item of found.items) break;
  expect(closed).toBe(1);
  await readTranscript(chunks(" ".repeat(1024 * 1024)));
  expect(closed).toBe(2);
});

test("a document with a value on each of its lines is a document", async () => {
  const event = (id: number) => JSON.stringify({ id, source: "agent", action: "run", args: { command: "ls" } });
  for (const text of [
    `[\n${[1, 2, 3].map(event).join(",\n")}\n]\n`,
    `{"history": [\n${[1, 2, 3].map(event).join(",\n")}\n],\n"notes": [\n{}\n]}`,
  ]) {
    const items = await itemsOfText(text);
    expect([ofType(items, "call").length, ofType(items, "unreadable").length]).toEqual([3, 0]);
  }
});

test("lines are the same however the bytes are cut, characters of several bytes among them", () => {
  const text = "eins\nzwei – ドライ 🙂\r\n\nvier";
  const bytes = encoder.encode(text);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
      const splitter = lineSplitter();
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const lines = at.slice(1).flatMap((to, index) => [...splitter.push(bytes.subarray(at[index], to))]);
      const all = [...lines, ...splitter.end()];
      expect(all.map((line) => (line.type === "too-long" ? null : line.text))).toEqual([
        "eins",
        "zwei – ドライ 🙂",
        "vier",
      ]);
      // The empty one is counted and not given.
      expect(all.map(({ type, line }) => [type, line])).toEqual([
        ["whole", 1],
        ["whole", 2],
        ["cut", 4],
      ]);
    }),
  );
});

test("garbage between good lines and a cut end lose no good line", async () => {
  const good = [1, 2, 3, 4].map((n) => said(n));
  const junk = fc.oneof(fc.string(), fc.json(), fc.constantFrom("\0\0", "{", "]", "[]", said(1).slice(0, 30)));
  const place = fc.record({ at: fc.nat(good.length), text: junk.map((text) => text.replaceAll("\n", " ")) });
  await fc.assert(
    fc.asyncProperty(fc.array(place, { maxLength: 6 }), fc.nat(30), async (noise, rest) => {
      const lines = good.flatMap((line, at) => [...noise.filter((one) => one.at === at).map(({ text }) => text), line]);
      const bytes = encoder.encode(`${lines.join("\n")}\n${said(5).slice(0, rest)}`);
      const found = await readTranscript([bytes]);
      expect(found.type).toBe("transcript");
      if (found.type === "transcript")
        expect(textsOf(await gathered(found.items))).toEqual(good.map((_, at) => `message ${at + 1}`));
    }),
  );
});
