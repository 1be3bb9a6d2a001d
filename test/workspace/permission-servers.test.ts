import { afterAll, describe, expect, test } from "vitest";
import type { PermissionMode } from "../../src/log/entry.ts";
import { toolName } from "../../src/mcp/names.ts";
import { decide, type Need } from "../../src/workspace/permission.ts";
import { type Lists, permissionWorld } from "../support/permission-world.ts";

const table: Readonly<Record<PermissionMode, string>> = {
  default: "ask ask ask",
  acceptEdits: "ask ask ask",
  plan: "ask deny deny",
  dontAsk: "deny deny deny",
  bypassPermissions: "allow allow ask",
};
const needs: readonly Need[] = ["server-read", "server", "server-changed"];

test.each(Object.entries(table))(
  "mode %s, of a server's tool that reads, that does more, that changed: %s",
  (mode, row) => {
    const verdict = (need: Need) => decide({ mode: mode as PermissionMode, need, tool: "T", detail: "" }).type;
    expect(needs.map(verdict).join(" ")).toBe(row);
  },
);

type Asked = { readonly mode?: PermissionMode; readonly reads?: boolean; readonly changed?: boolean };

const world = await permissionWorld();
afterAll(world.remove);

async function judged(lists: Lists, { mode = "default", reads = false, changed = false }: Asked = {}, tool = "buy") {
  const access = { type: "server", server: "shop", tool, reads, changed } as const;
  return (await world.decide(access, { mode, tool: toolName("shop", tool), lists })).type;
}

describe("rules for servers", () => {
  test.each([
    ["a tool", "mcp__shop__buy"],
    ["a whole server", "mcp__shop"],
    ["a pattern behind the server", "mcp__shop__b*"],
  ])("an allow rule for %s frees it", async (_what, rule) => {
    expect(await judged({ allow: [rule] })).toBe("allow");
    expect(await judged({ allow: [rule] }, { mode: "dontAsk" })).toBe("allow");
  });

  test("while planning an allow rule frees what only reads, and nothing else", async () => {
    const lists = { allow: ["mcp__shop"] };
    expect(await judged(lists, { mode: "plan", reads: true })).toBe("allow");
    expect(await judged(lists, { mode: "plan" })).toBe("deny");
  });

  test("no rule and no mode frees a tool whose definition changed", async () => {
    const lists = { allow: ["mcp__shop", "mcp__shop__buy"] };
    expect(await judged(lists, { changed: true, reads: true })).toBe("ask");
    expect(await judged(lists, { changed: true, mode: "bypassPermissions" })).toBe("ask");
    expect(await judged(lists, { changed: true, mode: "dontAsk" })).toBe("deny");
  });

  test("what refuses wins, and holds for a name that had to be made legal as the server has it", async () => {
    expect(await judged({ allow: ["mcp__shop"], deny: ["mcp__shop__buy"] })).toBe("deny");
    expect(await judged({ allow: ["mcp__shop"], deny: ["mcp__shop__get.user"] }, {}, "get.user")).toBe("deny");
    expect(await judged({ allow: ["mcp__shop"], ask: ["mcp__shop__get.user"] }, {}, "get.user")).toBe("ask");
    expect(await judged({ allow: ["mcp__other"] })).toBe("ask");
  });
});
