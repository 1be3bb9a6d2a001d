import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findCommands, readCommand, readCommands } from "../../src/adapters/commands.ts";
import { bounds } from "../../src/kernel/bounds.ts";

function tree(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "varve-commands-")));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const at = (root: string, cwd = "w") => ({ cwd: join(root, cwd), user: join(root, "user"), home: join(root, "home") });
const shown = (root: string, files: readonly { readonly name: string; readonly file: string }[]) =>
  files.map(({ name, file }) => `${name} ${file.slice(root.length + 1)}`);

describe("commands lie in the project's folders and the user's own", () => {
  test("from the repository's root down to the working directory, of one name the nearest", async () => {
    const root = tree({
      "w/.git/HEAD": "x",
      "w/.claude/commands/a.md": "root",
      "w/.claude/commands/frontend/test.md": "x",
      "w/sub/.varve/commands/a.md": "near",
      "w/sub/.claude/commands/b.md": "x",
      ".claude/commands/outside.md": "x",
      "home/commands/u.md": "x",
      "user/.claude/commands/b.md": "x",
      "user/.claude/commands/notes.txt": "x",
    });
    const { commands, notes } = await findCommands(at(root, "w/sub"));
    expect(shown(root, commands)).toEqual([
      "a w/sub/.varve/commands/a.md",
      "b w/sub/.claude/commands/b.md",
      "frontend:test w/.claude/commands/frontend/test.md",
      "u home/commands/u.md",
    ]);
    expect(commands.map(({ scope }) => scope)).toEqual(["project", "project", "project", "user"]);
    expect(notes).toEqual([expect.stringContaining("/a is"), expect.stringContaining("/b is")]);
  });

  test("a folder without any costs nothing and says nothing", async () => {
    expect(await findCommands(at(tree({ "w/x": "" })))).toEqual({ commands: [], notes: [] });
  });

  test("a link of the project does not lead out of it, and none leads in a circle", async () => {
    const root = tree({ "w/.claude/commands/ok.md": "x", "secret.md": "key", "else/deep.md": "x" });
    symlinkSync(join(root, "secret.md"), join(root, "w/.claude/commands/secret.md"));
    symlinkSync(join(root, "else"), join(root, "w/.claude/commands/else"));
    symlinkSync(join(root, "w/.claude/commands"), join(root, "w/.claude/commands/loop"));
    const { commands, notes } = await findCommands(at(root));
    expect(shown(root, commands)).toEqual(["ok w/.claude/commands/ok.md"]);
    expect(notes).toContainEqual(expect.stringContaining("secret.md leads out of the project"));
    expect(notes).toContainEqual(expect.stringContaining("else leads out of the project"));
  });

  test("a link that was turned around after it was listed is not followed, but one of the user's own is", async () => {
    const root = tree({
      "w/.claude/commands/a.md": "x",
      "home/commands/b.md": "x",
      "w/c.md": "inside",
      "secret.md": "key",
    });
    const { commands } = await findCommands(at(root));
    const turned = (name: string, to: string) => {
      rmSync(join(root, name));
      symlinkSync(join(root, to), join(root, name));
    };
    turned("w/.claude/commands/a.md", "secret.md");
    turned("home/commands/b.md", "secret.md");
    const why = [expect.stringContaining("leads out of the project")];
    expect(await readCommands(commands)).toMatchObject([
      { type: "bad", why },
      { type: "ok", command: { body: "key" } },
    ]);
    turned("w/.claude/commands/a.md", "w/c.md");
    expect((await readCommands(commands))[0]).toMatchObject({ type: "ok", command: { body: "inside" } });
  });

  test("a name that nobody can type is said", async () => {
    const root = tree({ "w/.claude/commands/a b.md": "x" });
    expect(await findCommands(at(root))).toEqual({ commands: [], notes: [expect.stringContaining("a b.md")] });
  });

  test("there are at most bounds.commandFilesMax", async () => {
    const many = Array.from({ length: bounds.commandFilesMax + 5 }, (_, n) => [`w/.claude/commands/c${n}.md`, ""]);
    const { commands, notes } = await findCommands(at(tree(Object.fromEntries(many))));
    expect(commands).toHaveLength(bounds.commandFilesMax);
    expect(notes).toEqual([expect.stringContaining(`more than ${bounds.commandFilesMax}`)]);
    const reads = await readCommands(commands);
    // As many at once as a process may have open would be too many.
    expect(new Set(reads.map((read) => (read.type === "bad" ? read.why[0]?.replace(/^.*?: /, "") : "")))).toEqual(
      new Set(["description: there is no text behind the fields"]),
    );
  });

  test("of names at most bounds.commandNamesMax are looked at, which is said; the user's own are found all the same", async () => {
    const root = tree({ "w/.claude/commands/z.md": "x", "user/.claude/commands/mine.md": "x" });
    mkdirSync(join(root, "w/.claude/commands/a"));
    for (let n = 0; n < bounds.commandNamesMax; n += 1) writeFileSync(join(root, `w/.claude/commands/a/n${n}`), "");
    const { commands, notes } = await findCommands(at(root));
    expect(commands.map(({ name }) => name)).toEqual(["mine"]);
    expect(notes).toEqual([expect.stringContaining(`more than ${bounds.commandNamesMax} names`)]);
  });
});

describe("a command is read when it is called", () => {
  const placeOf = (file: string) => ({ file, name: "a", scope: "project", root: null }) as const;

  test("what cannot be read is named", async () => {
    const root = tree({
      "big.md": "x".repeat(bounds.commandFileBytesMax + 1),
      "bin.md": "\u0000\u0001\u0002",
      "ok.md": "\uFEFFHi",
    });
    expect(await readCommand(placeOf(join(root, "ok.md")))).toMatchObject({ type: "ok", command: { body: "Hi" } });
    for (const name of ["big.md", "bin.md", "gone.md"]) {
      const read = await readCommand(placeOf(join(root, name)));
      expect(read.type === "bad" ? read.why[0] : "").toContain(name);
    }
  });
});
