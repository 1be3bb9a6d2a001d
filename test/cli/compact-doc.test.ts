import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { lineShares } from "../../src/budget/window.ts";
import { askedBy } from "../../src/cli/compact-operands.ts";
import { addSessionCommands } from "../../src/cli/session-commands.ts";
import { bounds } from "../../src/kernel/bounds.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/compaction.md"), "utf8");
const program = new Command();
addSessionCommands(program, () => {});

test("every command and option of docs/compaction.md is one of the program", () => {
  const named = [...text.matchAll(/`varve (\w+)([^`]*)`/g)].map(([, command = "", rest = ""]) => ({ command, rest }));
  const known = (name: string) => program.commands.find((command) => command.name() === name);
  expect(named.filter(({ command }) => known(command) === undefined).map(({ command }) => command)).toEqual([]);
  const unknown = named.flatMap(({ command, rest }) =>
    (rest.match(/--[a-z-]+/g) ?? []).filter((flag) => !known(command)?.options.some(({ long }) => long === flag)),
  );
  expect(unknown).toEqual([]);
  const options = new Set(known("compact")?.options.map(({ long }) => long));
  const alone = [...text.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, flag = ""]) => flag);
  expect(alone.filter((flag) => !options.has(flag))).toEqual([]);
});

test("the figures of docs/compaction.md are the program's", () => {
  expect(text).toContain(`At ${lineShares.auto * 100} %`);
  expect(text).toContain(`above ${lineShares.hard * 100} %`);
  expect(text).toContain(`at most ${bounds.summaryTriesMax} calls`);
  expect(text).toContain(`After ${bounds.summaryFailuresMax} compactions in a row`);
  expect(text).toContain(`at most ${bounds.summaryTokensMax.toLocaleString("en-US")} tokens`);
});

test("only the first word names a part, and then it needs the number of an entry", () => {
  expect(askedBy([])).toEqual({ part: { kind: "all" }, focus: "" });
  expect(askedBy(["the", "routes", "from", "3"])).toEqual({ part: { kind: "all" }, focus: "the routes from 3" });
  expect(askedBy(["upto", "12"])).toEqual({ part: { kind: "upto", entry: 12 }, focus: "" });
  expect(askedBy(["from", "12", "the", "routes"])).toEqual({ part: { kind: "from", entry: 12 }, focus: "the routes" });
  expect(askedBy(["from the start"])).toEqual({ part: { kind: "all" }, focus: "from the start" });
  for (const words of [
    ["from"],
    ["upto", "the", "end"],
    ["from", "-1"],
    ["from", "1.5"],
    ["upto", "1e3"],
    ["from", ""],
  ])
    expect(() => askedBy(words)).toThrow(/^(from|upto): expected the number of an entry/);
});
