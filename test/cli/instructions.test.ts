import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { call, inScene, linesOf, tell } from "../support/varve-process.ts";

test("a CLAUDE.md of 2 MB, rules that are broken and a nested file: clear words, the session runs, the window shows each", async () => {
  await inScene("anthropic", async ({ run, ask, place, provider }) => {
    place.write("CLAUDE.md", `BEGINS ${"Do the right thing, and do it well, as we always did.\n".repeat(40_000)}`);
    place.write(".cursor/rules/broken.mdc", '---\nalwaysApply: "true"\n---\nBROKEN');
    place.write(".claude/rules/ts.md", "---\npaths: **/*.ts\n---\nTYPES");
    place.write("sub/AGENTS.md", "NESTED");
    place.write("sub/a.ts", "export {};\n");
    const user = join(place.home, ".claude", "CLAUDE.md");
    mkdirSync(dirname(user), { recursive: true });
    writeFileSync(user, "OWN");

    const ran = await ask(tell(call("Read", { path: "sub/a.ts" }), { text: "ok" }));
    expect(ran).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(ran.stderr).toMatch(/CLAUDE\.md has about [\d,]+ tokens: the model is shown the first [\d,]+ /);
    expect(ran.stderr).toContain("broken.mdc, line 2: alwaysApply: expected true or false");
    const [first, second] = (await provider.records()).map(({ body }) => body);
    const saidIn = (body = "") => ["OWN", "BEGINS", "TYPES", "NESTED", "BROKEN"].filter((word) => body.includes(word));
    expect([saidIn(first), saidIn(second)]).toEqual([
      ["OWN", "BEGINS"],
      ["OWN", "BEGINS", "TYPES", "NESTED"],
    ]);

    const [view] = linesOf((await run(["context", "--json"])).stdout);
    expect(view?.categories).toContainEqual(expect.objectContaining({ name: "attached" }));
    for (const [tool, title] of [
      ["instructions", "CLAUDE.md"],
      ["instructions", "sub/AGENTS.md"],
      ["rule", ".claude/rules/ts.md"],
    ] as const)
      expect(view?.items).toContainEqual(
        expect.objectContaining({ category: "attached", tool, title: expect.stringContaining(`/work/${title}`) }),
      );
  });
}, 60_000);
