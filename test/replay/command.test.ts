import { describe, expect, test } from "vitest";
import { replayArgs } from "../../bench/replay-args.ts";
import { replayTable } from "../../bench/replay-table.ts";

const names = ["none", "cut-2k"];

describe("the arguments of bench replay", () => {
  test("o200k, five minutes and a tenth unless said otherwise, over the repository's own sessions", () => {
    const parsed = replayArgs([], names);
    expect(parsed).toMatchObject({
      type: "options",
      options: {
        strategies: null,
        read: 0.1,
        tokens: "o200k",
        lifetimes: "5m",
        window: "200k",
        trace: null,
        json: false,
      },
    });
    expect(parsed.type === "options" && parsed.options.data).toMatch(/bench.data$/);
  });

  test("flags take their value behind a space or an equals sign", () => {
    const args = [
      "--data=d",
      "--strategy",
      "none,cut-2k",
      "--read=0.025",
      "--tokens",
      "chars4",
      "--lifetimes=off",
      "--window",
      "h32k",
    ];
    expect(replayArgs([...args, "--trace", "t", "--json"], names)).toEqual({
      type: "options",
      options: {
        data: "d",
        strategies: names,
        read: 0.025,
        tokens: "chars4",
        lifetimes: "off",
        window: "h32k",
        trace: "t",
        json: true,
      },
    });
  });

  test.each([
    [["--read", "0.2"], "--read: expected 0.1, 0.05, 0.025"],
    [["--strategy", "none,best"], 'got "best"'],
    [["--tokens"], "--tokens needs a value"],
    [["--data", "--json"], "--data needs a value"],
    [["--speed"], "--speed: expected one of --data"],
    [["here"], "here: expected one of --data"],
    [["--json=yes"], "--json takes no value"],
  ])("%j is refused with what was expected", (args, why) => {
    expect(replayArgs(args, names)).toEqual({ type: "wrong", why: expect.stringContaining(why) });
  });
});

test("without --json a run is a table, with what was left out and why", () => {
  const table = replayTable({
    sessions: 1,
    calls: 3,
    read: 0.1,
    tokens: "chars4",
    lifetimes: "off",
    strategies: [{ name: "none", netCost: 100, visible: 99.25, overflows: { "200k": 1, h32k: 2 } }],
    leftOut: [{ session: "a.jsonl", why: "no calls" }],
  });
  expect(table).toMatch(/^strategy +net cost/m);
  expect(table).toMatch(/^none +100 .* 99\.3 /m);
  expect(table).toContain("left out: a.jsonl: no calls");
});
