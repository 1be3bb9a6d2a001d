import { expect, test } from "vitest";
import { isRecord } from "../../src/kernel/canonical.ts";
import { inScene, linesOf, newPlace, tell, varve } from "../support/varve-process.ts";

const rule = "Never push to main";

test("pin, list, merge, retire and accept from the command line; the next turn shows what is in force", async () => {
  await inScene("anthropic", async ({ run, ask, provider }) => {
    const first = await ask(tell({ text: "ok" }));
    expect(first.code).toBe(0);
    const pinned = await run(["facts", "pin", rule]);
    expect(pinned).toMatchObject({ code: 0, stdout: expect.stringMatching(/^f[0-9a-f]{9} pinned\n$/) });
    const id = pinned.stdout.split(" ")[0] ?? "";
    expect(await run(["facts", "pin", `${rule.toUpperCase()}.`])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`in force already, as ${id}`),
    });
    await run(["facts", "pin", "use tabs", "--project"]);
    const listed = linesOf((await run(["facts", "--json"])).stdout)[0];
    expect(listed).toMatchObject({
      facts: [
        { id, scope: "session", text: rule },
        { scope: "project", text: "use tabs" },
      ],
      proposed: [],
      factsMax: 20,
    });
    const other = Array.isArray(listed?.facts) && isRecord(listed.facts[1]) ? String(listed.facts[1].id) : "";
    await ask(tell({ text: "ok" }), ["--continue"]);
    const shown = JSON.stringify((await provider.records()).at(-1));
    expect(shown).toContain(rule);
    expect(await run(["facts", "merge", id, other, "tabs,", "and never push to main"])).toMatchObject({ code: 0 });
    expect((await run(["facts"])).stdout).toMatch(
      /^f[0-9a-f]{9} {2}project {2}tabs, and never push to main\n1 of 20 facts/,
    );
    expect(await run(["facts", "retire", id])).toMatchObject({ code: 1, stderr: expect.stringContaining("no fact") });
    const merged = (await run(["facts"])).stdout.slice(0, 10);
    expect(await run(["facts", "retire", merged])).toMatchObject({ code: 0 });
    expect((await run(["facts", "list"])).stdout).toBe("no facts are in force\n");
  });
}, 60_000);

test("a rule in the prompt is proposed on stderr, waits in the list, and is accepted or refused by its id", async () => {
  await inScene("anthropic", async ({ run, ask }) => {
    const said = await ask("Always answer in German. Now say hello");
    const id = /varve facts accept (f[0-9a-f]+)/.exec(said.stderr)?.[1] ?? "";
    expect(said.stderr).toContain('"Always answer in German."');
    expect((await run(["facts"])).stdout).toContain(`${id}  said by you  Always answer in German.`);
    expect(await run(["facts", "accept", id])).toMatchObject({ code: 0 });
    expect(await run(["facts", "refuse", id])).toMatchObject({ code: 1 });
    expect((await run(["facts"])).stdout).toMatch(new RegExp(`^${id} {2}session {2}Always answer`));
  });
}, 60_000);

test("without a session the project's facts can be kept all the same; wrong usage exits 2", async () => {
  const place = newPlace();
  try {
    expect(await varve(["facts"], place)).toMatchObject({ code: 0, stdout: "no facts are in force\n" });
    expect(await varve(["facts", "pin", rule], place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--project"),
    });
    expect(await varve(["facts", "pin", rule, "--project"], place)).toMatchObject({ code: 0 });
    expect((await varve(["facts"], place)).stdout).toContain(`project  ${rule}`);
    for (const args of [["pin"], ["merge", "f1a2b3c4d"], ["retire"], ["keep", "x"], ["list", "x"]])
      expect((await varve(["facts", ...args], place)).code).toBe(2);
    const env = { MY_API_KEY: "s3cr3t-value-of-mine" };
    expect(await varve(["facts", "pin", "use s3cr3t-value-of-mine", "--project"], place, { env })).toMatchObject({
      code: 1,
    });
  } finally {
    place.remove();
  }
}, 60_000);
