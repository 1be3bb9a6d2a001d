import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { windowSvg } from "../../src/audit/svg.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { madeReport, madeSession } from "./svg-report.ts";

/** The picture in a real browser: letters have sizes there that no estimate knows. */

const folder = mkdtempSync(join(tmpdir(), "varve-svg-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const browser = ["chromium", "chromium-browser", "google-chrome"].find(isThere);
if (browser === undefined)
  console.warn("SKIPPED: no chromium here; the picture is not looked at in a browser (apt-get install chromium)");

describe.skipIf(browser === undefined)("in a browser", () => {
  const rows = [
    {
      name: "a session with compactions, pauses and a limit",
      sessions: [
        madeSession({
          calls: 180,
          windowTokens: 200_000,
          compactAt: [60, 64, 90, 150],
          coldAt: [40, 44, 120, 175],
          missedAt: [61, 178],
        }),
        madeSession({ calls: 20_000, scale: 0.01, windowTokens: 1_000_000, compactAt: [9, 10, 19_990] }),
      ],
    },
    {
      name: "long names, wide letters, pictures and names from right to left",
      sessions: ["日本語".repeat(40), "مشروع جديد ".repeat(20), "W".repeat(300), "👩‍👩‍👧‍👦😀".repeat(30)].map((text) =>
        madeSession({ calls: 25, coldAt: [24], names: { cwd: `/x/${text}`, models: [text, text], session: text } }),
      ),
    },
    {
      name: "no calls, one call, estimated sizes, huge numbers, no times",
      sessions: [
        madeSession({ calls: 0 }),
        madeSession({ calls: 1, windowTokens: 200_000 }),
        madeSession({ calls: 30, from: "estimated", usd: null }),
        madeSession({ calls: 7, scale: 1e9, usd: 123_456_789, coldAt: [6] }),
        madeSession({ calls: 3, scale: 0, at: null }),
      ],
    },
    { name: "many sessions", sessions: Array.from({ length: 40 }, (_, n) => madeSession({ calls: n })) },
    { name: "nothing at all", sessions: [] },
  ];

  test.each(rows)("$name: nothing leaves the sheet, and no two texts touch", ({ sessions }) => {
    const svg = windowSvg(madeReport(sessions, { partial: true }));
    const sheet = measured(svg);
    const { fault, texts } = sheet;
    expect(fault).toBe("");
    expect(texts.length).toBeGreaterThan(2);
    expect(outside(sheet)).toEqual([]);
    expect(touching(texts)).toEqual([]);
  });

  test("the check can fail: a text beside the sheet, two on one place, and what is no XML are found", () => {
    const text = (x: number) => `<text x="${x}" y="40">some words</text>`;
    const start = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100">';
    const sheet = measured(`${start}${text(10)}${text(20)}${text(190)}</svg>`);
    expect(outside(sheet)).toEqual(["text some words"]);
    expect(touching(sheet.texts)).toEqual(["text some words | text some words"]);
    expect(measured(`${start}<g></svg>`).fault).not.toBe("");
  });
});

type Measured = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
};

type Sheet = {
  /** What the browser's XML reader says; empty when it has nothing to say. */
  readonly fault: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Measured[];
  readonly texts: readonly Measured[];
};

function measured(svg: string): Sheet {
  const page = join(folder, "page.html");
  writeFileSync(
    page,
    `<meta charset="utf-8"><body style="margin:0"><script>(${measure})(${JSON.stringify(svg).replaceAll("<", "\\u003c")})</script>`,
  );
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    `--user-data-dir=${join(folder, "profile")}`,
    "--dump-dom",
    `file://${page}`,
  ];
  const dom = execFileSync(browser ?? "", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 50_000,
    maxBuffer: 64e6,
  });
  const encoded = /<pre>([\w+/=]+)<\/pre>/.exec(dom)?.[1] ?? "";
  const parsed = parseJson(Buffer.from(encoded, "base64").toString("utf8"));
  if (parsed.type === "bad") throw new Error(`the browser gave no sizes: ${dom.slice(0, 500)}`);
  // What `measure` below made, of this shape.
  return parsed.value as Sheet;
}

/** Runs in the browser. Boxes are one pixel smaller all around: letters do not fill them. */
const measure = `(svg) => {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  const fault = parsed.querySelector("parsererror")?.textContent ?? "";
  const root = document.importNode(parsed.documentElement, true);
  document.body.append(root);
  const boxOf = (node) => {
    const { x, y, right, bottom } = node.getBoundingClientRect();
    return { text: node.tagName + " " + node.textContent.slice(0, 80), x: x + 1, y: y + 1, right: right - 1, bottom: bottom - 1 };
  };
  const all = (names) => [...root.querySelectorAll(names)].map(boxOf);
  const { width, height } = root.viewBox?.baseVal ?? { width: 0, height: 0 };
  const sheet = { fault, width, height, boxes: all("g > text, svg > text, rect:not(pattern rect), path"), texts: all("text") };
  const bytes = new TextEncoder().encode(JSON.stringify(sheet));
  const pre = document.createElement("pre");
  pre.textContent = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  document.body.replaceChildren(pre);
}`;

function outside({ boxes, width, height }: Sheet): readonly string[] {
  return boxes
    .filter(({ x, y, right, bottom }) => x < -1 || y < -1 || right > width + 1 || bottom > height + 1)
    .map(({ text }) => text);
}

function touching(texts: readonly Measured[]): readonly string[] {
  return texts.flatMap((a, index) =>
    texts
      .slice(index + 1)
      .filter((b) => a.x < b.right && b.x < a.right && a.y < b.bottom && b.y < a.bottom)
      .map((b) => `${a.text} | ${b.text}`),
  );
}

function isThere(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
