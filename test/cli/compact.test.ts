import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import { manualClock } from "../../src/testing/index.ts";
import { inScene, linesOf, newPlace, type Scene, tell, varve } from "../support/varve-process.ts";

/** About 5,000 tokens, no line of which stands in another file. */
const file = (name: string) =>
  Array.from({ length: 400 }, (_, at) => `${name} line ${at} says ${at * 7919} of it`).join("\n");
const read = (name: string) => ({
  calls: [{ tool: "Read", input: { path: `${name}.txt`, startLine: 1, endLine: 400 } }],
});

/** A turn that reads these files one after another. */
async function work({ place, ask }: Scene, names: readonly string[], args: readonly string[] = []): Promise<void> {
  for (const name of names) place.write(`${name}.txt`, file(name));
  expect((await ask(tell(...names.map(read), { text: "read" }), args)).code).toBe(0);
}

const only = (output: string) => linesOf(output)[0] ?? expect.fail("nothing was said");
const hashes = (record: { readonly segments: readonly { readonly hash: string }[] } | undefined) =>
  (record ?? expect.fail("nothing was sent")).segments.map(({ hash }) => hash);

/** Every file of the home and what it holds. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => [join(one.parentPath, one.name), readFileSync(join(one.parentPath, one.name), "latin1")])
    .toSorted();

/** Each of these starts about ten processes. */
const slowMs = 180_000;

describe.concurrent("varve compact and varve undo", () => {
  test(
    "a preview changes nothing; the model sums up with the focus; undo makes the former request a prefix of the next",
    () =>
      inScene("anthropic", async (scene) => {
        const { run, ask, provider, place } = scene;
        await work(scene, ["a", "b", "c"]);
        const before = await provider.records();
        const files = filesIn(place.home);

        const shown = await run(["compact", "the", "quorum", "--preview"]);
        expect(shown.stdout).toMatch(/^all finished work, the summary fullest about "the quorum"\n/);
        expect(shown).toMatchObject({ code: 0, stderr: "" });
        expect(shown.stdout).toMatch(
          /\ngoes: about [\d,]+ tokens, 0 messages, 3 calls, 3 results\n +[\d,]+ {2}Read, 3 calls\n/,
        );
        expect(shown.stdout).toMatch(/asked of claude-sonnet-5-5: .* from the cache, .*: at most about \$0\.\d+\n/);
        const preview = only((await run(["compact", "--preview", "--json"])).stdout);
        expect(preview).toMatchObject({
          type: "preview",
          goes: { messages: 0, calls: 3, results: 3, byTool: [{ tool: "Read", calls: 3 }] },
          stays: { messages: 1 },
          summary: { model: "claude-sonnet-5-5", outputTokensMax: 3_000, cost: { type: "usd" } },
        });
        expect(await provider.records()).toHaveLength(before.length);
        expect(filesIn(place.home)).toEqual(files);

        const done = await run(["compact", "the", "quorum", "numbers", "--json"]);
        expect(done.code).toBe(0);
        const result = only(done.stdout);
        const { tokensBefore } = preview;
        const summed = { by: "model", model: "claude-sonnet-5-5", outcomes: ["accepted"], cost: { type: "usd" } };
        expect(result).toMatchObject({ type: "compacted", ...summed, tokensBefore });
        expect(Number(result.tokensAfter)).toBeLessThan(Number(tokensBefore) / 2);
        const records = await provider.records();
        expect(records).toHaveLength(before.length + 1);
        expect(records.at(-1)?.body).toContain("the quorum numbers");
        const former = hashes(before.at(-1));
        expect(hashes(records.at(-1)).slice(0, former.length)).toEqual(former);
        const [handle = ""] = Array.isArray(result.handles) ? result.handles : [];
        expect((await run(["recall", String(handle)])).stdout).toContain("a.txt");
        expect(await run(["compact"])).toMatchObject({ code: 1, stderr: expect.stringContaining("no finished work") });

        const undone = only((await run(["undo", "--json"])).stdout);
        expect(undone).toMatchObject({ type: "undone", reason: "compacted", messages: 0, calls: 3, results: 3 });
        await ask("and now?", ["--continue"]);
        expect(hashes((await provider.records()).at(-1)).slice(0, former.length)).toEqual(former);
      }),
    slowMs,
  );

  test(
    "a part is named by the log's numbers and folded without a model; an undo without anything to undo is refused",
    () =>
      inScene("chat", async (scene) => {
        const { run, entries } = scene;
        await work(scene, ["a", "b", "c"]);
        const log = await entries("tool-returned", "request-sent");
        const seqs = (wanted: string) => log.filter(({ type }) => type === wanted).map(({ seq }) => Number(seq));
        const [, second = 0] = seqs("tool-returned");
        const [, request = 0] = seqs("request-sent");
        const asked = async (...words: readonly string[]) => {
          const { code, stderr } = await run(["compact", ...words]);
          return `${code}: ${stderr}`;
        };
        expect(await asked("from", String(request))).toMatch(
          new RegExp(`^1: varve: entry ${request} \\(request-sent\\) is no part of the prompt; the nearest are `),
        );
        expect(await asked("upto", "the", "end")).toMatch(/^2: varve: upto: expected .* got "the".*quotes\n$/);
        expect(await asked("--model", "other-model")).toMatch(
          /^2: varve: --model other-model: .* deepseek-flash \(chat\)/,
        );
        const done = await run(["compact", "upto", String(second), "--no-model"]);
        expect(done.stdout).toMatch(
          /^compacted, folded into a list without a model: [\d,]+ tokens before, [\d,]+ after\n/,
        );
        const undone = await run(["undo"]);
        expect(undone.stdout).toMatch(
          /^undone: compacted in entry \d+; back as they were: 0 messages, 2 calls, 2 results\n/,
        );
        const again = await run(["undo", "--json"]);
        expect(again).toMatchObject({ code: 1, stderr: "varve: there is no compaction that can be undone\n" });
        expect(only(again.stdout)).toMatchObject({ type: "refused", why: expect.any(String) });
      }),
    slowMs,
  );

  test(
    "without a key it says so and folds all the same; open elsewhere it is busy, and a preview still shows",
    () =>
      inScene("anthropic", async (scene) => {
        const { run, place, entries } = scene;
        await work(scene, ["a", "b"], ["--clearing", "provider"]);
        const keyless = await varve(["compact"], place);
        expect(keyless).toMatchObject({ code: 2, stdout: "" });
        expect(keyless.stderr).toMatch(/no key: set ANTHROPIC_API_KEY[\s\S]*--no-model/);

        const [session = ""] = readdirSync(join(place.home, "sessions"));
        const stream = { type: "lane", session: brand<"SessionId">(session), lane: mainLane } as const;
        const lease = await fileStore({ root: place.home, clock: manualClock() }).log.lease(stream, "a test");
        expect(await run(["compact"])).toMatchObject({ code: 1, stderr: expect.stringContaining("open in a test") });
        expect((await varve(["compact", "--preview"], place)).code).toBe(0);
        if (lease.type === "leased") await lease.release();

        const priced = await varve(["compact", "--preview", "--summaries", "off"], place);
        expect(priced.stdout).toContain("no model would be asked: --summaries off\n");
        expect((await varve(["compact", "words", "--summaries", "off"], place)).stderr).toContain("reads the focus");
        expect((await varve(["compact", "--preview", "--summaries", "all"], place)).code).toBe(2);
        expect((await varve(["compact", "--preview", "--model", "another"], place)).code).toBe(2);
        const folded = only((await varve(["compact", "--summaries", "off", "--json"], place)).stdout);
        expect(folded).toMatchObject({ type: "compacted", by: "fold", model: null, cost: null });
        expect((await varve(["undo"], place)).code).toBe(0);
        // What the provider is asked to clear stays with the session, whoever compacts it.
        const opened = await entries("epoch-opened");
        expect(opened.map(({ reason, providerClearing }) => [reason, providerClearing !== undefined])).toEqual([
          ["start", true],
          ["compacted", true],
          ["undone", true],
        ]);
      }),
    slowMs,
  );

  test(
    "Ctrl-C stops the summary: exit code 130, nothing is taken away, and the session goes on",
    () =>
      inScene("anthropic", async (scene) => {
        const { start, ask, provider, entries } = scene;
        await work(scene, ["a", "b"]);
        await provider.fault({ kind: "stall" });
        const running = start(["compact"]);
        await running.said(/asking claude-sonnet-5-5 for a summary/);
        running.child.kill("SIGINT");
        expect(await running.ended).toMatchObject({ code: 130, stdout: "" });
        expect(await entries("summary-ended")).toMatchObject([{ outcome: "interrupted" }]);
        expect((await ask("go on", ["--continue"])).code).toBe(0);
      }),
    slowMs,
  );

  test("with no session, or nothing sent yet, there is nothing to do", async () => {
    const place = newPlace();
    try {
      for (const args of [["compact"], ["compact", "--preview"], ["undo"]])
        expect(await varve(args, place)).toMatchObject({
          code: 1,
          stdout: "",
          stderr: expect.stringContaining("no session"),
        });
      const help = await varve(["compact", "--help"], place);
      expect(help.stdout).toMatch(/from ENTRY \| upto ENTRY[\s\S]*--no-model/);
    } finally {
      place.remove();
    }
  });
});
