import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layeringFaults, readLayering } from "../scripts/layering.ts";
import { readSources, type Source, source } from "../scripts/sources.ts";

const root = join(import.meta.dirname, "..");
const rules = readLayering(root);
const bare = { ...rules, exceptions: [] };

describe("imports go strictly downward", () => {
  test("the source tree keeps the layer map, without cycles, platform or clock outside the edge", () => {
    expect(layeringFaults(readSources(root, "src"), rules)).toEqual([]);
  });

  test("every exception gives a reason", () => {
    for (const one of rules.exceptions) expect(one.reason.length, one.file).toBeGreaterThan(30);
  });
});

describe("the layering check can fail", () => {
  const rows: readonly { readonly name: string; readonly path: string; readonly text: string }[] = [
    { name: "an import upward", path: "src/log/a.ts", text: 'import { x } from "../agent/x.ts";' },
    {
      name: "an import between folders of one level",
      path: "src/prompt/a.ts",
      text: 'import { x } from "../digest/x.ts";',
    },
    { name: "a type-only import upward", path: "src/log/a.ts", text: 'import type { X } from "../agent/x.ts";' },
    { name: "a re-export upward", path: "src/log/a.ts", text: 'export * from "../agent/x.ts";' },
    { name: "a dynamic import upward", path: "src/log/a.ts", text: 'const x = () => import("../agent/x.ts");' },
    { name: "an import type upward", path: "src/log/a.ts", text: 'type X = import("../agent/x.ts").X;' },
    { name: "a node module outside the edge", path: "src/agent/a.ts", text: 'import { readFile } from "node:fs";' },
    { name: "a package outside the edge", path: "src/agent/a.ts", text: 'import OpenAI from "openai/core";' },
    {
      name: "a package loaded lazily outside the edge",
      path: "src/agent/a.ts",
      text: 'const x = () => import("openai");',
    },
    { name: "testing imported by the product", path: "src/agent/a.ts", text: 'import { x } from "../testing/x.ts";' },
    {
      name: "testing imported by another part of cli",
      path: "src/cli/main.ts",
      text: 'import { x } from "../testing/x.ts";',
    },
    {
      name: "the simulator importing the product",
      path: "src/testing/simulate/a.ts",
      text: 'import "../../prompt/doc.ts";',
    },
    {
      name: "the simulator importing other test helpers",
      path: "src/testing/simulate/a.ts",
      text: 'import "../manual.ts";',
    },
    { name: "a folder that is not in the map", path: "src/utils/a.ts", text: "" },
    { name: "an import that leaves src", path: "src/cli/a.ts", text: 'import "../../scripts/x.ts";' },
    { name: "the platform's buffers", path: "src/digest/a.ts", text: "const x = Buffer.alloc(8);" },
    { name: "the environment", path: "src/agent/a.ts", text: "const x = process.env.HOME;" },
    { name: "the working directory", path: "src/agent/a.ts", text: "const x = process.cwd();" },
    { name: "the clock", path: "src/agent/a.ts", text: "const x = Date.now();" },
    { name: "the clock by constructor", path: "src/agent/a.ts", text: "const x = new Date();" },
    { name: "the clock by its global", path: "src/agent/a.ts", text: "const x = globalThis.process;" },
    { name: "a timer", path: "src/agent/a.ts", text: "setTimeout(() => {}, 5);" },
    { name: "randomness", path: "src/agent/a.ts", text: "const x = Math.random();" },
  ];
  test.each(rows)("$name is a fault", ({ path, text }) => {
    expect(layeringFaults([source(path, text)], bare)).toHaveLength(1);
  });

  test("a cycle is a fault, in one folder too", () => {
    const files = [source("src/log/a.ts", 'import "./b.ts";'), source("src/log/b.ts", 'import "./a.ts";')];
    expect(layeringFaults(files, bare)).toEqual(["import cycle: src/log/a.ts -> src/log/b.ts -> src/log/a.ts"]);
  });

  test("an exception that nothing needs is a fault", () => {
    const idle = { ...rules, exceptions: [{ file: "src/log", allows: ["node:fs"], reason: "none" }] };
    expect(layeringFaults([], idle)).toEqual(['layering.json: the exception "src/log node:fs" is not used']);
  });
});

describe("the layering check lets through what is right", () => {
  const fine: readonly { readonly name: string; readonly file: Source }[] = [
    { name: "imports downward", file: source("src/agent/a.ts", 'import type { X } from "../log/entry.ts";') },
    { name: "imports within a folder", file: source("src/agent/a.ts", 'import { x } from "./b.ts";') },
    { name: "the platform in adapters", file: source("src/adapters/a.ts", 'import "node:fs"; Date.now();') },
    { name: "testing in the demo", file: source("src/cli/demo/a.ts", 'import "../../testing/simulate/brain.ts";') },
    { name: "testing in the simulate command", file: source("src/cli/simulate.ts", 'import "../testing/index.ts";') },
    { name: "a date made of a given time", file: source("src/agent/a.ts", "const x = new Date(entry.at);") },
    {
      name: "a file's own function of a global's name",
      file: source("src/agent/a.ts", "const fetch = () => 1; fetch();"),
    },
    {
      name: "members that share a global's name",
      file: source("src/agent/a.ts", "const x = { process: 1 }; x.process; fx.fetch();"),
    },
    {
      name: "the simulator's use of the kernel",
      file: source("src/testing/simulate/a.ts", 'import "../../kernel/json.ts";'),
    },
  ];
  test.each(fine)("$name", ({ file }) => {
    expect(layeringFaults([file], bare)).toEqual([]);
  });
});
