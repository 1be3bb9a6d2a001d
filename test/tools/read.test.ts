import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstForm, limitBytes } from "../../src/digest/first-form.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());
const read = (path: string, more: object = {}) => world.run("Read", { path, ...more });

describe("a text file", () => {
  test("comes with line numbers, and its hash is of its bytes", async () => {
    world.put("a.ts", "one\ntwo\n");
    expect(await read("a.ts")).toMatchObject({
      ending: "done",
      output: "1\tone\n2\ttwo",
      form: "range",
      files: [{ path: world.file("a.ts"), hash: hashOf("one\ntwo\n"), how: "read" }],
    });
  });

  test("a range is exact and says where it stands", async () => {
    world.put("r.txt", "a\nb\nc\nd\n");
    expect((await read("r.txt", { startLine: 2, endLine: 3 })).output).toBe("2\tb\n3\tc\n[lines 2-3 of 4]");
    expect((await read("r.txt", { startLine: "3", endLine: 99, column: null })).output).toBe(
      "3\tc\n4\td\n[lines 3-4 of 4]",
    );
    expect(await read("r.txt", { startLine: 5 })).toMatchObject({
      ending: "failed",
      output: "r.txt has 4 lines; startLine is 5.",
    });
  });

  test("an empty file says so", async () => {
    world.put("empty", "");
    expect(await read("empty")).toMatchObject({ ending: "done", output: "[the file is empty]" });
  });

  test("line ends are those of the file: CRLF, a lone CR as data, CR alone", async () => {
    world.put("crlf", "a\r\nb\r\n");
    world.put("data", "a\rb\nc");
    world.put("cr", "a\rb\r");
    expect([(await read("crlf")).output, (await read("data")).output, (await read("cr")).output]).toEqual([
      "1\ta\n2\tb",
      "1\ta\rb\n2\tc",
      "1\ta\n2\tb",
    ]);
  });

  test("a byte-order mark and UTF-16 are read, Latin-1 is said", async () => {
    world.put("bom", "\uFEFFä");
    world.put("le", new Uint8Array([0xff, 0xfe, 0xe4, 0, 0x3d, 0xd8, 0, 0xde]));
    world.put("be", new Uint8Array([0xfe, 0xff, 0, 0xe4]));
    world.put("latin", new Uint8Array([0x67, 0x72, 0xfc, 0x6e]));
    expect((await read("bom")).output).toBe("1\tä");
    expect((await read("le")).output).toBe("1\tä😀\n[encoding: UTF-16 little-endian]");
    expect((await read("be")).output).toBe("1\tä\n[encoding: UTF-16 big-endian]");
    expect((await read("latin")).output).toBe("1\tgrün\n[encoding: not UTF-8, read as Latin-1]");
  });
});

describe("what is no text file", () => {
  test("a binary file is refused with its size, whatever its name", async () => {
    world.put("x.txt", new Uint8Array([1, 0, 2]));
    world.put("half16", new Uint8Array([0xff, 0xfe, 0x41]));
    world.put("controls", new Uint8Array([0xff, 1, 2, 3, 4]));
    for (const path of ["x.txt", "half16", "controls"]) {
      expect(await read(path)).toMatchObject({
        ending: "failed",
        output: expect.stringMatching(/binary file \(\d bytes/),
      });
    }
  });

  test("absent files, folders, pipes and paths outside are refused and say why", async () => {
    world.put("sub/x", "");
    execFileSync("mkfifo", [world.file("pipe")]);
    symlinkSync("/dev/zero", world.file("zero"));
    writeFileSync(join(world.base, "secret"), "x");
    const why: [string, string][] = [
      ["none.ts", "does not exist"],
      ["sub", "is a folder"],
      ["pipe", "is a pipe"],
      ["zero", "outside the workspace"],
      ["../secret", "outside the workspace"],
      ["sub/x/y", "cannot|not a folder|part of the path"],
      ["a\0b", "NUL"],
    ];
    for (const [path, text] of why) {
      expect(await read(path)).toMatchObject({ ending: "failed", output: expect.stringMatching(text) });
    }
  });

  test("C-067 · every PDF is refused with what to do, also a broken one and one with another name", async () => {
    world.put("fake.pdf", "%PDF-1.4 hello");
    world.put("it's.bin", "\n%PDF-1.7\n\0\x01");
    expect(await read("fake.pdf")).toMatchObject({
      ending: "failed",
      output: expect.stringContaining("pdftotext fake.pdf -"),
    });
    expect((await read("it's.bin")).output).toContain("pdftotext 'it'\\''s.bin' -");
    expect((await read("fake.pdf")).images).toEqual([]);
    world.put("saved.pdf", "HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n1 0 obj");
    expect(await read("saved.pdf")).toMatchObject({ ending: "failed", output: expect.stringContaining("is a PDF") });
  });
});

describe("C-069 · an image is what its bytes say", () => {
  const bytes = (...list: (number | string)[]) =>
    new Uint8Array(
      list.flatMap((part) => (typeof part === "number" ? [part] : [...part].map((char) => char.charCodeAt(0)))),
    );
  const rows: [string, Uint8Array, string][] = [
    ["shot.png", bytes(0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 2, 1), "image/jpeg"],
    ["photo.jpg", bytes(0x89, "PNG\r\n", 0x1a, "\n", 0, 0, 0, 13, "IHDR", 0, 0, 0, 2, 0, 0, 0, 1), "image/png"],
    ["anim", bytes("GIF89a", 2, 0, 1, 0), "image/gif"],
    ["x.gif", bytes("RIFF", 1, 2, 3, 4, "WEBPVP8 ", 9, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 2, 0, 1, 0), "image/webp"],
  ];
  test.each(rows)("%s", async (path, content, mediaType) => {
    world.put(path, content);
    const outcome = await read(path);
    expect(outcome).toMatchObject({ ending: "done", images: [{ mediaType }] });
    expect(Buffer.from(outcome.images[0]?.data ?? "", "base64")).toEqual(Buffer.from(content));
  });

  test.each(rows)(
    "%s, cut off behind its signature, is not shown: a provider refuses it, now and in each later turn",
    async (path, content) => {
      const signature = content.subarray(0, content[0] === 0x52 ? 16 : 8);
      world.put(path, signature);
      expect(await read(path)).toMatchObject({
        ending: "failed",
        images: [],
        output: expect.stringContaining("no whole image"),
      });
    },
  );

  test("HTML and other text under an image's name are errors; other image kinds become a note; SVG is text", async () => {
    world.put("logo.png", "<!DOCTYPE html><html>404</html>");
    world.put("text.jpeg", "not found");
    world.put("old.bmp", bytes("BM", 1, 2, 3, 4, 0, 0, 0, 0));
    world.put("new.png", bytes(0, 0, 0, 32, "ftypavif"));
    world.put("icon.svg", "<svg/>");
    expect(await read("logo.png")).toMatchObject({ ending: "failed", output: expect.stringContaining("HTML") });
    expect((await read("text.jpeg")).ending).toBe("failed");
    expect((await read("old.bmp")).output).toContain("BMP image: it cannot be shown");
    expect((await read("new.png")).output).toContain("AVIF");
    expect((await read("icon.svg")).output).toBe("1\t<svg/>");
  });

  test("kinds that cannot be shown are named, whatever the file is called; HTML is an error under every image's name", async () => {
    const kinds: [string, Uint8Array, string][] = [
      ["a.tif", bytes("II+", 0, 8, 0), "TIFF"],
      ["a.png", bytes(0, 0, 2, 0, 1, 0), "ICO"],
      ["b.avif", bytes(0, 0, 0, 28, "ftypmif1", 0, 0, 0, 0, "mif1avif"), "AVIF"],
      ["b.jpg", bytes(0, 0, 0, 24, "ftyphevc", 0, 0, 0, 0), "HEIC"],
      ["c.webp", bytes(0xff, 0x0a, 0, 1), "JPEG XL"],
      ["c.jp2", bytes(0, 0, 0, 12, "jP  \r\n", 0x87, "\n"), "JPEG 2000"],
    ];
    for (const [path, content, name] of kinds) {
      world.put(path, content);
      expect((await read(path)).output).toContain(`${name} image: it cannot be shown`);
    }
    for (const path of ["x.bmp", "x.ico", "x.avif", "x.heic", "x.TIFF"]) {
      world.put(path, "<html>404");
      expect(await read(path)).toMatchObject({ ending: "failed", output: expect.stringContaining("holds HTML") });
    }
    world.put("none.png", "");
    expect(await read("none.png")).toMatchObject({ ending: "failed", output: expect.stringContaining("is empty") });
  });

  test("law 10 · an image with a side above the bound is refused, whatever its kind", async () => {
    const sized = (side: number): [string, Uint8Array][] => {
      const [high, low] = [side >> 8, side & 0xff];
      return [
        ["s.png", bytes(0x89, "PNG\r\n", 0x1a, "\n", 0, 0, 0, 13, "IHDR", 0, 0, high, low, 0, 0, 0, 9)],
        ["s.gif", bytes("GIF89a", 9, 0, low, high, 0)],
        ["s.jpg", bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 11, 8, high, low, 0, 9, 0, 0)],
        ["s.webp", bytes("RIFF", 1, 2, 3, 4, "WEBPVP8X", 0, 0, 0, 0, 0, 0, 0, 0, low - 1, high, 0, 8, 0, 0)],
        ["s2.webp", bytes("RIFF", 1, 2, 3, 4, "WEBPVP8 ", 0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, low, high, 9, 0)],
        ["s3.webp", bytes("RIFF", 1, 2, 3, 4, "WEBPVP8L", 0, 0, 0, 0, 0x2f, low - 1, high, 0, 0, 0, 0, 0, 0, 0)],
      ];
    };
    for (const [path, content] of sized(bounds.imagePixelsMax)) {
      world.put(path, content);
      expect(await read(path), path).toMatchObject({ ending: "done", images: [{}] });
    }
    for (const [path, content] of sized(bounds.imagePixelsMax + 1)) {
      world.put(path, content);
      expect((await read(path)).output, path).toContain(`at most ${bounds.imagePixelsMax} a side`);
    }
  });

  test("law 10 · an image above the bound is refused with both sizes", async () => {
    const big = new Uint8Array(bounds.imageBytesMax + 1);
    big.set([0xff, 0xd8, 0xff]);
    world.put("big.jpg", big);
    expect((await read("big.jpg")).output).toContain(
      `${bounds.imageBytesMax + 1} bytes; at most ${bounds.imageBytesMax}`,
    );
  });
});

describe("C-065 · one very long line", () => {
  const line = `${"x".repeat(1_500_000)}NEEDLE${"y".repeat(199_994)}`;
  beforeAll(() => world.put("min.js", line));
  const formOf = (text: string) =>
    firstForm({ tool: "Read", text, exitCode: null, form: "range", handle: brand("abc") }).text;

  test("says where it is cut and how to go on, and the rest is reached from there", async () => {
    const first = (await read("min.js")).output;
    expect(first).toContain("[line 1 cut at 2000 of 1700000 characters; go on with startLine=1 column=2001, or Grep]");
    const next = (await read("min.js", { startLine: 1, column: 1_499_990 })).output;
    expect(next).toMatch(/^1\tx{11}NEEDLEy+\n\[line 1: characters 1499990-\d+ of 1700000\]$/);
    expect(formOf(next)).toBe(next);
    expect((await read("min.js", { column: 1_700_001 })).output).toContain("has 1700000 characters in line 1");
  });

  test("by columns the whole line comes back", async () => {
    const short = line.slice(1_450_000);
    world.put("short.js", short);
    let all = "";
    for (let column = 1; column <= short.length; ) {
      const { output } = await read("short.js", { column });
      all += output.slice(2, output.indexOf("\n"));
      column = Number(/-(\d+) of/.exec(output)?.[1]) + 1;
    }
    expect(all).toBe(short);
  });

  test("Grep shows the surroundings of the match, not the line", async () => {
    const output = await world.text("Grep", { pattern: "NEEDLE", path: "min.js" });
    expect(output).toMatch(/^min\.js:1:x{120}NEEDLEy{120} \[characters 1499881-1500126 of 1700000\]$/);
  });

  test("a line that fits the limit is not cut; emoji are never parted", async () => {
    world.put("five.json", "x".repeat(5_000));
    expect((await read("five.json")).output).toBe(`1\t${"x".repeat(5_000)}`);
    world.put("emoji.txt", "👩‍👩‍👧‍👦".repeat(10_000));
    const cut = (await read("emoji.txt")).output.slice(2).split(" [line")[0] ?? "";
    expect(cut.replaceAll("👩‍👩‍👧‍👦", "")).toBe("");
    expect((await read("emoji.txt", { column: 8 })).output).toMatch(/^1\t(?:👩‍👩‍👧‍👦)+\n/u);
  });
});

test("C-063 · a file below the limit enters as it is, one above it has the whole as its original", async () => {
  world.put("below.txt", "a line of text\n".repeat(1_000));
  const below = (await read("below.txt")).output;
  expect(below.length).toBeLessThan(limitBytes("range"));
  expect(below.split("\n")).toHaveLength(1_000);
  world.put("above.txt", "a line of text\n".repeat(10_000));
  expect((await read("above.txt")).output.split("\n")).toHaveLength(10_000);
});

test("law 10 · of a file above the capture bound the beginning is read, and it cannot be edited", async () => {
  world.put("huge", new Uint8Array(bounds.captureBytesMax + 10).fill(0x61));
  const outcome = await read("huge");
  expect(outcome).toMatchObject({
    files: [],
    output: expect.stringContaining(`its first ${bounds.captureBytesMax} bytes`),
  });
  expect((await world.text("Edit", { path: "huge", old: "a", new: "b" })).includes("too large")).toBe(true);
  expect((await world.text("Write", { path: "huge", content: "b" })).includes("too large")).toBe(true);
});

test("law 10 · of a file above what one read gives, whole lines come, and where to go on", async () => {
  world.put("million.txt", "\n".repeat(3_000_000));
  const outcome = await read("million.txt");
  const [, to] =
    /\n\[lines 1-(\d+) of 3000000: more than one read gives; go on with startLine=(\d+)\]$/.exec(outcome.output) ?? [];
  expect(outcome.output.length).toBeLessThan(bounds.readBytesMax);
  expect((await read("million.txt", { startLine: Number(to) + 1, endLine: Number(to) + 1 })).output).toBe(
    `${Number(to) + 1}\t\n[lines ${Number(to) + 1}-${Number(to) + 1} of 3000000]`,
  );
});

test("a source that speaks of PDF or HTML is a text", async () => {
  world.put("pdf.ts", 'const start = "%PDF-1.4";\n');
  world.put("page.html", "<!doctype html>\n");
  expect((await read("pdf.ts")).output).toBe('1\tconst start = "%PDF-1.4";');
  expect((await read("page.html")).output).toBe("1\t<!doctype html>");
});
