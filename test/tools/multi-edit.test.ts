import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

async function edit(content: string, edits: unknown) {
  world.put("f", content);
  await world.run("Read", { path: "f" });
  const outcome = await world.run("MultiEdit", { path: "f", edits });
  return { outcome, after: world.get("f").toString("utf8") };
}

const parsed = (edits: unknown) =>
  world.tools.find((tool) => tool.declaration.name === "MultiEdit")?.parse({ path: "f", edits });

test("each edit works on what the one before left, and the file is written once", async () => {
  const { outcome, after } = await edit("a\r\nb\r\n", [
    { old: "a", new: "x\ny" },
    { old: "y\nb", new: "z" },
  ]);
  expect(after).toBe("x\r\nz\r\n");
  expect(outcome).toMatchObject({ ending: "done", files: [{ how: "written" }] });
  expect(outcome.files).toHaveLength(1);
});

test("where one cannot be done none is, and the failure names it", async () => {
  const { outcome, after } = await edit("a\nb\n", [
    { old: "a", new: "x" },
    { old: "nowhere", new: "y" },
  ]);
  expect(after).toBe("a\nb\n");
  expect(outcome.ending).toBe("failed");
  expect(outcome.output).toMatch(/edit 2 of 2: old was not found.*Nothing was changed/s);
});

test("edits that undo each other change nothing and say so", async () => {
  const { outcome } = await edit("a\n", [
    { old: "a", new: "b" },
    { old: "b", new: "a" },
  ]);
  expect(outcome).toMatchObject({ ending: "failed" });
});

test("a file that was not read, or moved on since, is refused", async () => {
  world.put("g", "a");
  const refused = await world.run("MultiEdit", { path: "g", edits: [{ old: "a", new: "b" }] });
  expect(refused).toMatchObject({ ending: "failed" });
  expect(world.get("g").toString()).toBe("a");
});

describe("input", () => {
  const rows: readonly (readonly [name: string, edits: unknown, why: RegExp])[] = [
    ["a list is expected", { old: "a", new: "b" }, /edits: expected a list of 1 to 100 objects with old, new, all\?/],
    ["an empty list", [], /edits: expected a list of 1 to 100 objects .*, got 0/],
    ["a wrong item is named", [{ old: "a", new: "b" }, { old: 3 }], /edits\[1\]: .*new: missing/s],
    ["an unknown member of an item", [{ old: "a", new: "b", every: true }], /edits\[0\]: every: unknown field/],
    ["an edit that changes nothing", [{ old: "a", new: "a" }], /edits\[0\]\.new: is the same as old/],
    [
      "more than bounds.editsPerCallMax",
      Array.from({ length: bounds.editsPerCallMax + 1 }, (_, at) => ({ old: `${at}`, new: "x" })),
      /edits: expected a list of 1 to 100/,
    ],
  ];
  test.each(rows)("%s", (_name, edits, why) => {
    const found = parsed(edits);
    expect(found?.type === "bad" ? found.why : found).toMatch(why);
  });

  test("a list that came as JSON in a string is taken", () => {
    expect(parsed(JSON.stringify([{ old: "a", new: "b" }]))).toMatchObject({ type: "ok" });
  });
});
