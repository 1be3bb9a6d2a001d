import { symlinkSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

async function overwrite(before: string | Uint8Array, content: string) {
  world.put("f", before);
  await world.run("Read", { path: "f" });
  await world.run("Write", { path: "f", content });
  return world.get("f");
}

test("a new file is exactly the content, its folders made, its hash told", async () => {
  expect(await world.run("Write", { path: "a/b/new.ts", content: "x\r\ny\n" })).toMatchObject({
    ending: "done",
    output: "Created a/b/new.ts: 2 lines, 5 bytes.",
    files: [{ path: world.file("a/b/new.ts"), hash: hashOf("x\r\ny\n"), how: "written" }],
  });
  expect(world.get("a/b/new.ts").toString()).toBe("x\r\ny\n");
  expect(await world.text("Write", { path: "none", content: "" })).toBe("Created none: 0 lines, 0 bytes.");
});

test("an existing file must have been read and be unchanged since", async () => {
  world.put("old", "1");
  expect(await world.run("Write", { path: "old", content: "2" })).toMatchObject({
    ending: "failed",
    output: expect.stringContaining("not been read"),
  });
  await world.run("Read", { path: "old" });
  world.put("old", "other");
  expect(await world.text("Write", { path: "old", content: "2" })).toContain("has changed since");
  expect(world.get("old").toString()).toBe("other");
});

test("a file the model wrote may be written again", async () => {
  await world.run("Write", { path: "own", content: "1" });
  expect(await world.text("Write", { path: "own", content: "2" })).toContain("Overwrote own");
});

test("C-071 · what the model cannot see stays: all-CRLF, byte-order mark, encoding", async () => {
  expect((await overwrite("a\r\nb\r\n", "x\ny\n")).toString()).toBe("x\r\ny\r\n");
  expect((await overwrite("a\r\nb\n", "x\ny\n")).toString()).toBe("x\ny\n");
  expect((await overwrite("a\r\n", "x\r\ny\n")).toString()).toBe("x\r\ny\n");
  expect((await overwrite("\uFEFFa", "x")).toString()).toBe("\uFEFFx");
  expect((await overwrite("\uFEFFa", "\uFEFFx")).toString()).toBe("\uFEFFx");
  expect([...(await overwrite(new Uint8Array([0xe4]), "ö"))]).toEqual([0xf6]);
  expect((await overwrite(new Uint8Array([0xe4]), "字")).toString()).toBe("字");
});

test("C-125 · outside, behind links and onto folders is refused", async () => {
  symlinkSync("../out", world.file("link"));
  world.put("folder/x", "");
  for (const path of ["../x", "link/x", "link", "folder", "folder/x/y"]) {
    expect((await world.run("Write", { path, content: "x" })).ending).toBe("failed");
  }
});
