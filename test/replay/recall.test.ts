import { expect, test } from "vitest";
import { recalledFor, recalledText } from "../../src/replay/recall.ts";

const rows = Array.from({ length: 2_000 }, (_, n) => `row ${n} of a long file`);
const original = rows
  .with(900, "export const first = read('src/app/main.ts');")
  .with(1_500, "  return first + fullName;")
  .join("\n");
const never = () => false;

test("the longest line of the call's own strings that the original holds is asked for", () => {
  const input = JSON.stringify({
    edits: [{ oldText: "not there at all, but longer than all\n    return first + fullName;" }],
  });
  expect(recalledText(original, input, never)).toContain("1501\t  return first + fullName;");
});

test("else the end of a path, else a name", () => {
  expect(recalledText(original, '{"file_path": "/home/x/src/app/main.ts"}', never)).toContain("901\t");
  expect(recalledText(original, '{"command": "grep -rn fullName ."}', never)).toContain("1501\t");
});

test("a patch is read without the signs of its lines", () => {
  const patch = "*** Begin Patch\n-  return first + fullName;\n+  return 1;";
  expect(recalledText(original, patch, never)).toContain("1501\t");
});

test("what is in sight is not asked for again", () => {
  const input = JSON.stringify({ old: "export const first = read('src/app/main.ts');", name: "fullName" });
  const inSight = (text: string) => text.startsWith("export const") || text.includes("main.ts");
  expect(recalledText(original, input, inSight)).toContain("1501\t");
});

test("where nothing of the call stands in the original, it comes back as a read does", () => {
  const text = recalledText(original, '{"a": "nothing of it"}', never);
  expect(text.startsWith("row 0 of a long file\nrow 1 of")).toBe(true);
  expect(text.length).toBeLessThan(36_000);
});

test("who asks for the string itself finds it", () => {
  expect(recalledFor(original, "fullName")).toContain("1501\t  return first + fullName;");
});
