import { describe, expect, test } from "vitest";
import { openAudit } from "../../src/audit/audit.ts";
import { withVarve } from "../../src/audit/report.ts";
import { auditText } from "../../src/audit/text.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { columnsOf } from "../../src/ledger/columns.ts";
import { auditOf, call, feed, items, request, result, type Said, typed, usage, words } from "./build.ts";

/** A session in which one tool's results are most of every prompt. */
function session(tool: string, steps = 12, by?: string): readonly Said[] {
  const said = Array.from({ length: steps }, (_, n): readonly Said[] => [
    request(`${tool}${n}`, by),
    call(`${tool}${n}`, `c${n}`, tool, { n, path: `/src/漢字/file-${n}.ts` }),
    usage(`${tool}${n}`, { cacheRead: n * 4_000, cacheWrite5m: n === 0 ? 7_000 : 4_000, output: 100 }),
    result(`c${n}`, words(2_000, `${tool}${n}`)),
  ]);
  return [{ type: "session", session: tool, cwd: "/home/a/project", version: null }, typed("go"), ...said.flat()];
}

describe("advice", () => {
  test("is ranked by money where it is known, the largest block first", () => {
    const { advice, totals } = auditOf(session("Bash"), session("Read", 4));
    expect(totals.basis).toBe("usd");
    const money = advice.map(({ usd }) => usd ?? 0);
    expect(money).toEqual(money.toSorted((a, b) => b - a));
    expect(advice[0]?.what).toBe("Bash results");
    expect(advice[0]?.share).toBeGreaterThan(30);
  });
  test("is ranked by tokens where money is not known, and says none", () => {
    const { advice, totals } = auditOf(session("Bash", 12, "nobody-knows-1"));
    expect(totals.basis).toBe("tokens");
    expect(advice[0]).toMatchObject({ what: "Bash results", usd: null });
  });
  test("names the tool and the server, and what to do", () => {
    const { advice } = auditOf(session("mcp__github__list_issues"));
    const found = advice.find(({ id }) => id === "server:github");
    expect(found?.todo).toContain("github");
    expect(found?.todo).toContain("list_issues");
    expect(advice.some(({ id }) => id === "results:mcp__github__list_issues")).toBe(false);
  });
  test("each has a size, a reason and something to do", () => {
    for (const one of auditOf(session("Bash"), session("Read")).advice) {
      expect(one.tokens).toBeGreaterThan(0);
      expect(one.share).toBeGreaterThanOrEqual(1);
      expect(one.why).not.toBe("");
      expect(one.todo).not.toBe("");
    }
  });
  test("a service whose cache is never read is named", () => {
    const said = Array.from({ length: 12 }, (_, n): readonly Said[] => [
      request(`r${n}`),
      usage(`r${n}`, { uncached: 9_000 }),
    ]);
    expect(auditOf(said.flat()).advice.map(({ id }) => id)).toContain("no-cache");
  });
});

describe("the report", () => {
  test("is plain JSON: nothing in it is lost or changed by being written", () => {
    const report = auditOf(session("Bash"), session("Read"), []);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
  test("names skipped files and counts warnings", () => {
    const audit = openAudit();
    audit.skip("/a/b.jsonl", "no session of a known format");
    feed(audit, "c.jsonl", items([{ type: "unreadable", why: "not JSON" }, ...session("Bash", 1)]));
    const report = audit.report();
    expect(report.skipped).toEqual([{ file: "/a/b.jsonl", why: "no session of a known format" }]);
    expect(report.warnings).toBe(2);
  });
  test("of an interrupted reading holds the open session as far as it was read, and says that it is partial", () => {
    const audit = openAudit();
    const open = audit.session({ file: "a.jsonl", format: "codex" });
    for (const item of items(session("Bash")).slice(0, 9)) open.push(item);
    const report = audit.report({ isPartial: true });
    expect(report.partial).toBe(true);
    expect(report.totals.calls).toBe(2);
  });
  test("sessions stand largest first, and only the largest have a series", () => {
    const many = Array.from({ length: bounds.seriesMax + 3 }, (_, n) =>
      session("Bash", n + 1).map((one): Said => renamed(one, n)),
    );
    const { sessions } = auditOf(...many);
    expect(sessions.map(({ calls }) => calls)).toEqual(many.map((_, n) => bounds.seriesMax + 3 - n));
    expect(sessions.map(({ series }) => series !== null)).toEqual(many.map((_, n) => n < bounds.seriesMax));
  });
  test("where tokens are what sessions are ranked by, a large one without a price keeps its series", () => {
    const priced = Array.from({ length: bounds.seriesMax }, (_, n) =>
      session("Read", 1).map((one): Said => renamed(one, n)),
    );
    const { sessions, totals } = auditOf(session("Bash", 20, "nobody-knows-1"), ...priced);
    expect(totals.basis).toBe("tokens");
    expect(sessions[0]?.models).toEqual(["nobody-knows-1"]);
    expect(sessions[0]?.series).not.toBeNull();
  });
  test("takes an estimate of what Varve would change, and nothing else", () => {
    const report = auditOf(session("Bash"));
    const varve = { netCost: 61.4, low: 55, high: 70, sessions: 3, note: "Simulated." };
    expect(withVarve(report, varve)).toEqual({ ...report, varve });
  });
});

/** The same session of another day: its calls are its own. */
function renamed(one: Said, n: number): Said {
  return one.type === "usage" ? { ...one, key: `${one.key}-${n}` } : one;
}

describe("the report for a terminal", () => {
  const report = auditOf(session("Bash"), session("Read"), session("mcp__github__list_issues", 6));
  test.each([40, 60, 80, 100])("fits %i columns, wide signs included", (width) => {
    for (const line of auditText(report, { width, color: false }).split("\n"))
      expect(columnsOf(line)).toBeLessThanOrEqual(width);
  });
  test("without colour holds nothing that steers a terminal", () => {
    expect(auditText(report, { width: 80, color: false })).not.toMatch(/[\p{Cc}--\n]/v);
  });
  test("ends with the advice, numbers with separators, money with two digits", () => {
    const text = auditText(report, { width: 80, color: false });
    const at = text.indexOf("Advice, largest first");
    expect(at).toBeGreaterThan(text.indexOf("Largest results"));
    expect(text.slice(at)).toMatch(/1\.\s+.*about \$\d+\.\d\d/);
    expect(text).toMatch(/\d{1,3},\d{3} prompt tokens/);
  });
  test("with more rows than asked for says how many are left out", () => {
    const text = auditText(report, { width: 80, color: false, top: 2 });
    expect(text).toContain("and 1 smaller");
    expect(text).toContain("smaller parts");
  });
  test("says that it is partial", () => {
    expect(auditText({ ...report, partial: true }, { width: 80, color: false })).toMatch(/^PARTIAL/);
  });
  test("a loss with Varve is shown as one", () => {
    const varve = { netCost: 104.2, low: 98, high: 110, sessions: 1, note: "" };
    expect(auditText(withVarve(report, varve), { width: 80, color: false })).toContain("4.2 % more");
  });
  test("of nothing says so", () => {
    expect(auditText(openAudit().report(), { width: 80, color: false })).toBe("no session was found\n");
  });
  test("on a narrow terminal rounds its numbers, so that there is room for names", () => {
    expect(auditText(report, { width: 60, color: false })).toMatch(/Read results +~[\d.]+[kM]? /);
    expect(auditText(report, { width: 80, color: false })).toMatch(/Read results +about [\d,]+ /);
  });
  test("what stands out is ordered by money, largest first, and says how often", () => {
    const [, section = ""] = auditText(report, { width: 100, color: false }).split(/What stands out.*times.*\n/);
    const money = [...(section.split("\n\n")[0] ?? "").matchAll(/\$([\d,.]+)$/gm)].map(([, usd = ""]) =>
      Number(usd.replaceAll(",", "")),
    );
    expect(money.length).toBeGreaterThan(0);
    expect(money).toEqual(money.toSorted((a, b) => b - a));
  });
  test("a session that stands in an earlier file is marked as a copy", () => {
    const twice = auditText(auditOf(session("Read", 3), session("Read", 3)), { width: 100, color: false });
    expect(twice.match(/\(a copy\)/g)).toHaveLength(1);
  });
  test("unknown money is unknown, not zero", () => {
    const text = auditText(auditOf(session("Bash", 3, "nobody-knows-1")), { width: 80, color: false });
    expect(text).toContain("cost: unknown (no price is known for nobody-knows-1)");
    expect(text).not.toContain("$0.00");
  });
});
