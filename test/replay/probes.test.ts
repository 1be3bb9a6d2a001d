import { describe, expect, test } from "vitest";
import { computeProbes, probeRow } from "../../src/replay/probes.ts";
import { type Made, recorded } from "../support/recorded.ts";

const probesOf = (...made: readonly Made[]) =>
  computeProbes({ session: "s", headTokens: 3_000, calls: recorded(made) }).map(
    ({ kind, text, source }) => `${kind} ${text} < ${source}`,
  );
const text = "import { one } from './one.ts';\nconst loadedModules = 1;\nsrc/app/main.ts:3: error in load_modules_now";

describe("strings a call uses that only an earlier result holds", () => {
  const rows: readonly (readonly [rule: string, tool: string, input: object, probes: readonly string[]])[] = [
    [
      "lines that an edit replaces",
      "Edit",
      { old_string: "  import { one } from './one.ts';\nconst a = 1;" },
      ["edit_line import { one } from './one.ts'; < read"],
    ],
    [
      "lines of several edits",
      "multiEdit",
      { edits: [{ oldText: "import { one } from './one.ts';" }] },
      ["edit_line import { one } from './one.ts'; < read"],
    ],
    [
      "lines that a patch takes to be there",
      "apply_patch",
      { input: "*** Begin Patch\n--- a/x\n-import { one } from './one.ts';\n+import { two } from './two.ts';" },
      ["edit_line import { one } from './one.ts'; < read"],
    ],
    ["the end of a path", "Read", { file_path: "/home/x/src/app/main.ts" }, ["path app/main.ts < read"]],
    [
      "paths and names in a command, also one given as a list",
      "shell",
      { command: ["grep", "loadedModules", "src/app/main.ts"] },
      ["path app/main.ts < read", "ident loadedModules < read"],
    ],
    [
      "also one given as a list of which not all can be made a text",
      "shell",
      { command: ["grep", { toString: 1 }, "loadedModules"] },
      ["ident loadedModules < read"],
    ],
    [
      "names of one's own making only",
      "Grep",
      { pattern: "load_modules_now|application" },
      ["ident load_modules_now < read"],
    ],
    ["nothing that no result holds", "Grep", { pattern: "someOtherName" }, []],
  ];
  test.each(rows)("%s", (_rule, tool, input, probes) => {
    const found = probesOf(
      { said: "go", asks: [{ callId: "read" }] },
      { results: [{ callId: "read", text }], asks: [{ callId: "use", tool, input: JSON.stringify(input) }] },
    );
    expect(found).toEqual(probes);
  });

  test("not what the user wrote or a call said before, and each name once", () => {
    const use = { tool: "Grep", input: '{"pattern": "loadedModules"}' };
    expect(
      probesOf(
        { said: "look at loadedModules", asks: [{ callId: "read" }] },
        { results: [{ callId: "read", text }], asks: [{ callId: "use", ...use }] },
      ),
    ).toEqual([]);
    expect(
      probesOf(
        { said: "go", asks: [{ callId: "read" }] },
        {
          results: [{ callId: "read", text }],
          asks: [
            { callId: "use", ...use },
            { callId: "again", ...use },
          ],
        },
      ),
    ).toEqual(["ident loadedModules < read"]);
  });

  test("the source is the newest result that holds it", () => {
    expect(
      probesOf(
        { said: "go", asks: [{ callId: "read" }, { callId: "more" }] },
        {
          results: [
            { callId: "read", text },
            { callId: "more", text: "loadedModules again" },
          ],
          asks: [{ callId: "use", tool: "Grep", input: '{"pattern": "loadedModules"}' }],
        },
      ),
    ).toEqual(["ident loadedModules < more"]);
  });
});

describe("rows of probes.jsonl", () => {
  test("a row is a session and a probe; further fields do not matter", () => {
    const row = '{"session": "a.jsonl", "call": "c2", "kind": "path", "text": "b/c.ts", "src": "c1", "age": 3}';
    expect(probeRow(row)).toEqual({
      session: "a.jsonl",
      probe: { callId: "c2", kind: "path", text: "b/c.ts", source: "c1" },
    });
  });

  test.each(["", "{", "[]", '{"session": "a"}', '{"session": "a", "call": "c", "text": "", "src": "d"}'])(
    "%j is none",
    (line) => {
      expect(probeRow(line)).toBeNull();
    },
  );
});
