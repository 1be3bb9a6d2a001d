import { expect, test } from "vitest";
import { call, inScene, linesOf, tell } from "../support/varve-process.ts";

const table = (...rows: readonly string[]) => `| what | cap |\n|---|---|\n${rows.join("\n")}\n`;

test("M-91 · context-budget.md is enforced, shown to the agent once, spoken of once when it changes, and held against use", async () => {
  await inScene("anthropic", async ({ run, ask, place, entries }) => {
    place.write("context-budget.md", table("| Bash | 100 tokens |", "| lunch | 5 |"));
    const loud = call("Bash", { command: "seq 1 3000" });
    const first = await ask(tell(loud, { text: "ok" }), ["--permission-mode", "bypassPermissions"]);
    expect(first.stderr).toContain('context-budget.md, line 4: "lunch" is no row known here');
    const [epoch] = await entries("epoch-opened");
    expect(epoch?.userContext).toContain("context budget: at most: ");
    expect(epoch?.userContext).toContain("Bash 100 tokens (without effect in context-budget.md: line 4)");
    const [form] = await entries("form-fixed");
    expect(String(form?.text).length).toBeLessThan(400);

    place.write("context-budget.md", table("| Bash | 200 tokens |"));
    await ask(tell({ text: "ok" }), ["--continue"]);
    await ask(tell({ text: "ok" }), ["--continue"]);
    const said = await entries("reminder-added");
    expect(said.map(({ text }) => String(text)).filter((text) => text.includes("context budget is now"))).toEqual([
      expect.stringContaining("Bash 200 tokens"),
    ]);

    const shown = await run(["context"]);
    expect(shown.stdout).toMatch(/Caps \(context-budget\.md\)\n {2}tool return +2,000 tokens {3}/);
    expect(shown.stdout).toMatch(/ {2}Bash +200 tokens {3}\d+\n/);
    const [json] = linesOf((await run(["context", "--json"])).stdout);
    expect(json?.budget).toMatchObject({ file: true, faults: [], caps: expect.any(Array) });
  });
}, 60_000);
