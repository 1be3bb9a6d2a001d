import { expect, test } from "vitest";
import { childEnv } from "../../src/adapters/shell-env.ts";
import { parseRule } from "../../src/workspace/rule.ts";
import { parseSettings } from "../../src/workspace/settings.ts";
import { permissionWorld } from "../support/permission-world.ts";

const typeOf = (text: string) => parseRule(text, { kind: "deny", file: "f", scope: "user" });

test.each([
  ...["bash(rm:*)", "BASH", "read(./x)", "webfetch(domain:x.com)", "Multiedit(./x)", "Bash(rm: *)", "Bash(rm\u00a0*)"],
  ...["Bash(rm\u200b:*)", "Read(~)", "Read(~root/x)", "Read($HOME/.ssh/**)", "Read($\u007bHOME}/x)", "Read(C:/x)"],
  ...["Read(file:///x)", "Read({.env,.env.local})", "Read(./[secrets/**)", "Read(\u202ex)"],
])("a rule that would refuse nothing is not taken for one: %j", (text) => {
  expect(typeOf(text).type).toBe("bad");
});

test.each([
  ...[
    "recall",
    "Bash(npm:*)",
    "Bash(command:*)",
    "Bash(git log --format=%h:*)",
    "Read(./app/[slug]/**)",
    "Edit($id.tsx)",
  ],
  ...["Read(./a:b)", "Read(~/x)", "Bash(printf 'é':*)", "NotebookEdit", "mcp__a__b(x:y)", "Bash(grep {a,b} *)"],
])("%j is a rule", (text) => {
  expect(typeOf(text).type).toBe("ok");
});

test("fields of tools for files and commands may be refused by what they hold", async () => {
  const world = await permissionWorld({ lists: { deny: ["Write(content:*KEY*)", "Bash(background:true)"] } });
  const write = (content: string) => {
    const input = { path: "x", content };
    return world.decide({ type: "write", path: "x" }, { mode: "acceptEdits", tool: "Write", input });
  };
  expect((await write("a KEY b")).type).toBe("deny");
  expect((await write("a")).type).toBe("allow");
  const bash = (background: boolean) => world.command("ls", { input: { command: "ls", background } });
  expect((await bash(true)).type).toBe("deny");
  expect((await bash(false)).type).toBe("allow");
  world.remove();
});

test.each([
  ...['{"permissions":{"deny":["Bash"],"deny":[]}}', '{"permissions":{"deny":["Bash"]},"permissions":{}}'],
  ...[
    '{"Permissions":{"deny":["Bash"]}}',
    '{"permission":{"deny":["Bash"]}}',
    '{"permissions":{"d\\u0065ny":[],"deny":[]}}',
  ],
])("settings that would lose a rule are an error: %s", (text) => {
  for (const written of ["ours", "foreign"] as const)
    expect(parseSettings(text, { file: "f", scope: "project", written }).type).toBe("bad");
});

test("a rule for a tool that nobody offers is said", () => {
  const text = '{"permissions":{"deny":["Shell(rm:*)","mcp__x","Bash(rm:*)"]}}';
  const parsed = parseSettings(text, { file: "f", scope: "user", written: "ours" });
  expect(parsed).toMatchObject({ settings: { notes: [expect.stringMatching(/deny\[0\].*names no tool/)] } });
});

test("C-123 · a command's shell goes where its words say: nothing of the environment turns `cd` or patterns", () => {
  const env = { CDPATH: "/", GLOBIGNORE: "x", POSIXLY_CORRECT: "1", BASH_COMPAT: "31", PATH: "/bin" };
  expect(childEnv(env)).toEqual({ PATH: "/bin" });
});
