import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuditReport, SessionAudit } from "../../src/audit/report.ts";
import { pictureMark, windowSvg } from "../../src/audit/svg.ts";
import { madeReport, madeSession } from "./svg-report.ts";

const of = (...sessions: readonly SessionAudit[]) => windowSvg(madeReport(sessions));

describe("the picture of a report", () => {
  test("begins with its mark, and the same report gives the same bytes", () => {
    const report = madeReport([madeSession({ calls: 40, compactAt: [20], coldAt: [9] })]);
    expect(windowSvg(report).startsWith(pictureMark)).toBe(true);
    expect(windowSvg(report)).toBe(windowSvg(structuredClone(report)));
  });

  test("holds no script, no reference to anything outside, and colours for light and dark", () => {
    const svg = of(madeSession({ calls: 3 }), madeSession({ calls: 9 }));
    expect(svg).not.toMatch(/<script|<image|<foreignObject|href|@import|url\((?!#)|\son\w+=/i);
    expect(svg.match(/https?:[^"]*/g)).toEqual(["http://www.w3.org/2000/svg"]);
    expect(svg).toContain("prefers-color-scheme:dark");
  });

  test("says for those who do not see it what it shows", () => {
    const svg = of(madeSession({ calls: 180, compactAt: [90], coldAt: [40, 120] }));
    expect(svg).toMatch(
      /<title id="title">What fills the context window<\/title><desc id="desc">[^<]*Largest on the bill: system and tools \d+ %, Bash results \d+ %;/,
    );
    expect(svg).toContain("one compaction cost $1.20; two cold turns cost");
  });

  test("has a layer for each thing that fills the window, four tools by name, the others together", () => {
    const svg = of(madeSession({ calls: 40 }));
    const titles = [...svg.matchAll(/<path class="f-[^>]*><title>([^<]*)/g)].map(([, title]) => title);
    expect(titles).toEqual([
      "other results",
      "Grep results",
      "browser: browser_take_snapshot_of_page",
      "Read results",
      "Bash results",
      "tool calls",
      "reasoning",
      "assistant text",
      "injected by program",
      "typed by you",
      "system and tools",
    ]);
  });

  test("marks every compaction, and says its sizes where there is room", () => {
    const svg = of(madeSession({ calls: 400, compactAt: [100, 101, 102, 103, 300] }));
    expect(svg.match(/<path class="cut" d="M\d+/g)).toHaveLength(5 + 1);
    expect(svg.match(/>compacted [\d.]+k → [\d.]+k</g)).toHaveLength(2);
  });

  test("draws the limit of the window where it is near, and says it where it is not", () => {
    expect(of(madeSession({ calls: 180, windowTokens: 200_000 }))).toContain(">window 200k<");
    expect(of(madeSession({ calls: 9, windowTokens: 1_000_000 }))).toContain(">window 1M, far above<");
    expect(of(madeSession({ calls: 9 }))).not.toContain(">window ");
  });

  test("where the window is far above, the limit is where the session was compacted, beside its words no mark", () => {
    const svg = of(madeSession({ calls: 100, windowTokens: 9_000_000, compactAt: [97] }));
    const [, x = "", text = ""] = />?<text x="([\d.]+)"[^>]*>(compacted at [\d.]+k, window 9M)</.exec(svg) ?? [];
    expect(text).not.toBe("");
    expect(Number(x)).toBeLessThan(200);
    expect(svg).toContain('class="limit"');
    expect(svg).not.toContain("far above");
  });

  test("gives what was lost its tokens, cause and cost", () => {
    expect(of(madeSession({ calls: 180, coldAt: [120] }))).toMatch(/>[\d.]+k after a pause, \$\d+\.\d\d</);
    expect(of(madeSession({ calls: 180 }))).toContain("nothing that the cache held was paid again");
  });
});

describe("what is not known is said", () => {
  test("sizes nobody reported are hatched, without a line of reported ones and without cache use", () => {
    const svg = of(madeSession({ calls: 30, from: "estimated", usd: null }));
    expect(svg).toContain('<path class="hatched"');
    expect(svg).not.toContain('<path class="line"');
    expect(svg).toContain("Sizes are estimated, for no prompt was reported");
    expect(svg.match(/cache use is not recorded/g)).toHaveLength(2);
    expect(svg).toContain("cost unknown");
    expect(svg).not.toContain("$");
  });

  test("a session without a price has no bar beside those that have one, and its shares are of tokens", () => {
    const svg = of(madeSession({ calls: 30 }), madeSession({ calls: 30, usd: null }));
    expect(svg).toContain("price unknown · 30 calls");
    expect(svg).toContain(">of tokens<");
  });

  test("a session without calls, and a report without sessions, say that there is nothing to draw", () => {
    expect(of(madeSession({ calls: 0 }))).toContain(
      "No model call is recorded in this session: there is nothing to draw.",
    );
    expect(of()).toContain("No session was found in what was read: there is nothing to draw.");
  });

  test("a report that is not whole, files that could not be read and sessions that are not drawn are named", () => {
    const sessions = Array.from({ length: 9 }, () => madeSession({ calls: 2 }));
    const skipped = [{ file: "a", why: "b" }];
    const svg = windowSvg(madeReport(sessions, { partial: true, skipped }), { panelsMax: 2 });
    expect(svg).toContain("PARTIAL: reading was interrupted");
    expect(svg).toContain("1 file could not be read");
    expect(svg).toContain("the 2 largest sessions of 9");
  });
});

describe("any size", () => {
  test("one call is one column", () => {
    expect(of(madeSession({ calls: 1 }))).toContain('<path class="f-head" d="M112 ');
  });

  test("20,000 calls stay small, and no peak and no loss is thinned away", () => {
    const session = madeSession({
      calls: 20_000,
      scale: 0.001,
      compactAt: [9_999],
      coldAt: [7_777],
      windowTokens: null,
    });
    const svg = of(session);
    expect(svg.length).toBeLessThan(200_000);
    expect(svg).toContain("after a pause");
    expect(svg).toContain("20,000 calls");
  });

  test("40 sessions are twelve bars and one for the others", () => {
    const svg = of(...Array.from({ length: 40 }, () => madeSession({ calls: 2 })));
    expect(svg).toContain("28 other sessions");
  });

  test("texts of a log are data: escaped, without control characters, marks of direction and half characters", () => {
    const cwd = "/x/<b>&\"'\u0000\u001b[31mred\u202eabc\ud800\ufffe\u0007";
    const svg = of(madeSession({ calls: 3, names: { cwd, models: ["]]>", "<script>"], session: "日本語 😀 \u2066" } }));
    expect(svg).toContain("&lt;b&gt;&amp;&quot;&#39;redabc");
    expect(svg).toContain("日本語 😀");
    expect(faultOf(svg)).toBeNull();
  });

  test("a name written from right to left does not turn what follows", () => {
    expect(of(madeSession({ calls: 3, names: { cwd: "/x/مشروع" } }))).toContain("\u2068مشروع\u2069 · 464878eb");
  });

  test("whatever numbers and texts a bad file left in a report, the picture is well-formed and has no broken path", () => {
    const number = fc.oneof(
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e300, 1e-300, 0.1),
      fc.integer({ min: -5, max: 300_000 }),
    );
    const text = fc.string({ unit: "binary", maxLength: 60 });
    const calls = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(calls, number, number, number, text, (count, a, b, c, name) => {
        const session = madeSession({
          calls: count,
          windowTokens: a,
          coldAt: [2],
          names: { cwd: name, models: [name], session: name },
        });
        const svg = windowSvg(withNumbers(madeReport([session, session]), [a, b, c]));
        expect(faultOf(svg)).toBeNull();
        expect(svg.match(/="[^"]*(NaN|Infinity|undefined|e[+-]\d)[^"]*"/g)).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});

/** The report with some of its numbers replaced. */
function withNumbers(report: AuditReport, [a = 0, b = 0, c = 0]: readonly number[]): AuditReport {
  const sessions = report.sessions.map((session): SessionAudit => {
    const { series } = session;
    if (series === null) return session;
    const points = series.points.map((point, index) =>
      index % 3 === 0
        ? {
            ...point,
            promptTokens: a,
            at: b,
            cacheReadTokens: c,
            missTokens: b,
            tokens: point.tokens.map((_t, at) => [a, b, c][at % 3] ?? 0),
          }
        : point,
    );
    const parts = session.parts.map((part) => ({ ...part, paidUsd: c, paidTokens: a, enteredTokens: b, share: a }));
    return {
      ...session,
      firstAt: a,
      lastAt: b,
      parts,
      money: { ...session.money, usd: c },
      series: { ...series, points },
    };
  });
  return { ...report, sessions };
}

/** What an XML reader would stop at; null: nothing. */
function faultOf(svg: string): string | null {
  const bad = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|&(?!(?:amp|lt|gt|quot|#39);)/u.exec(svg);
  if (bad !== null) return `a sign at ${bad.index}`;
  const open: string[] = [];
  const body = svg.slice(pictureMark.length);
  for (const [, closes, name = "", closed] of body.matchAll(/<(\/?)([a-z]\w*)(?:\s[\w:-]+="[^"<]*")*\s*(\/?)>/gi)) {
    if (closes === "/" && open.pop() !== name) return `</${name}>`;
    if (closes === "" && closed === "") open.push(name);
  }
  const rest = body.replace(/<\/?[a-z]\w*(?:\s[\w:-]+="[^"<]*")*\s*\/?>/gi, "");
  return open.length > 0 ? `<${open.join(">")}>` : rest.includes("<") ? rest.slice(rest.indexOf("<"), 40) : null;
}
