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

describe.concurrent("varve compact and varve undo", () => {
  test("a preview changes nothing; the model sums up with the focus; undo makes the former request a prefix of the next", () =>
    inScene("anthropic", async (scene) => {
      const { run, ask, provider, place } = scene;
      await work(scene, ["a", "b", "c"]);
      await ask("thanks", ["--continue"]);
      const before = await provider.records();
      const files = filesIn(place.home);

      const shown = await run(["compact", "--preview"]);
      expect(shown).toMatchObject({ code: 0, stderr: "" });
      expect(shown.stdout).toMatch(
        /goes: about [\d,]+ tokens, 1 message, 3 calls, 3 results\n +[\d,]+ {2}Read, 3 calls/,
      );
      expect(shown.stdout).toMatch(/asked of claude-sonnet-5-5: .* from the cache, .*about \$0\.\d+/);
      const preview = only((await run(["compact", "--preview", "--json"])).stdout);
      expect(preview).toMatchObject({
        type: "preview",
        goes: { messages: 1, calls: 3, results: 3, byTool: [{ tool: "Read", calls: 3 }] },
        stays: { messages: 1 },
        summary: { model: "claude-sonnet-5-5", outputTokensMax: 3_000, cost: { type: "usd" } },
      });
      expect(await provider.records()).toHaveLength(before.length);
      expect(filesIn(place.home)).toEqual(files);

      const done = await run(["compact", "the", "quorum", "numbers", "--json"]);
      expect(done.code).toBe(0);
      const result = only(done.stdout);
      expect(result).toMatchObject({
        type: "compacted",
        by: "model",
        model: "claude-sonnet-5-5",
        outcomes: ["accepted"],
        cost: { type: "usd" },
        tokensBefore: preview.tokensBefore,
      });
      expect(Number(result.tokensAfter)).toBeLessThan(Number(result.tokensBefore) / 2);
      const records = await provider.records();
      expect(records).toHaveLength(before.length + 1);
      expect(records.at(-1)?.body).toContain("the quorum numbers");
      expect(hashes(records.at(-1)).slice(0, hashes(before.at(-1)).length)).toEqual(hashes(before.at(-1)));
      expect((await run(["recall", String(Array.isArray(result.handles) ? result.handles[0] : "")])).stdout).toContain(
        "a.txt",
      );
      expect(await run(["compact"])).toMatchObject({ code: 1, stderr: expect.stringContaining("no finished work") });

      const undone = await run(["undo", "--json"]);
      expect(only(undone.stdout)).toMatchObject({
        type: "undone",
        reason: "compacted",
        messages: 1,
        calls: 3,
        results: 3,
      });
      await ask("and now?", ["--continue"]);
      const next = hashes((await provider.records()).at(-1));
      expect(next.slice(0, hashes(before.at(-1)).length)).toEqual(hashes(before.at(-1)));
      const again = await run(["undo", "--json"]);
      expect(again).toMatchObject({ code: 1, stderr: "varve: there is no compaction that can be undone\n" });
      expect(only(again.stdout)).toMatchObject({ type: "refused", why: expect.any(String) });
    }));

  test("from and upto name entries as the log shows them; what cannot be named is said, with its neighbours", () =>
    inScene("chat", async (scene) => {
      const { run, ask, entries } = scene;
      await work(scene, ["a", "b"]);
      await work(scene, ["c", "d"], ["--continue"]);
      await ask("thanks", ["--continue"]);
      const numbers = async (type: string) => (await entries(type)).map(({ seq }) => Number(seq));
      const [, second = 0, third = 0] = await numbers("tool-returned");
      const [, answer = 0] = await numbers("response-received");
      const goes = async (...words: readonly string[]) => {
        const { stdout } = await run(["compact", ...words, "--preview", "--json"]);
        return only(stdout).goes;
      };
      expect(await goes("upto", String(second))).toMatchObject({ calls: 2, results: 2 });
      expect(await goes("from", String(third))).toMatchObject({ calls: 1 });
      expect(await goes("from", String(answer))).toMatchObject({ calls: 3, results: 3 });

      const [, request = 0] = await numbers("request-sent");
      const asked = async (...words: readonly string[]) => {
        const { code, stderr } = await run(["compact", ...words]);
        return `${code}: ${stderr}`;
      };
      expect(await asked("from", String(request))).toMatch(
        new RegExp(
          `^1: varve: entry ${request} \\(request-sent\\) is no part of the prompt; the nearest are \\d+ \\([a-z-]+\\) and \\d+ `,
        ),
      );
      expect(await asked("upto", "9999")).toMatch(
        /^1: varve: there is no entry 9999, the newest is \d+; the nearest are \d+ \(/,
      );
      expect(await asked("upto", "the", "end")).toMatch(/^2: varve: upto: expected .* got "the".*quotes\n$/);
      expect(await asked("--model", "other-model")).toMatch(
        /^2: varve: --model other-model: .* deepseek-flash \(chat\)/,
      );
      expect(await asked("words", "--no-model")).toMatch(/^2: varve: --no-model/);

      const done = await run(["compact", "upto", String(second), "--no-model"]);
      expect(done).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^compacted, folded into a list without a model: /),
      });
      expect(await asked("from", String(second))).toMatch(
        new RegExp(`^1: varve: entry ${second} \\(tool-returned\\) is not in the prompt any more; the nearest are `),
      );
      const undone = await run(["undo"]);
      expect(undone.stdout).toMatch(
        /^undone: compacted in entry \d+; back as they were: 1 message, 2 calls, 2 results\n/,
      );
    }));

  test("without a key it says so and folds all the same; elsewhere open it is busy, and a preview still shows", () =>
    inScene("anthropic", async (scene) => {
      const { run, place } = scene;
      await work(scene, ["a", "b"]);
      const keyless = await varve(["compact"], place);
      expect(keyless).toMatchObject({ code: 2, stdout: "" });
      expect(keyless.stderr).toMatch(/no key: set ANTHROPIC_API_KEY[\s\S]*--no-model/);
      expect((await varve(["compact", "--preview"], place)).code).toBe(0);

      const [session = ""] = readdirSync(join(place.home, "sessions"));
      const stream = { type: "lane", session: brand<"SessionId">(session), lane: mainLane } as const;
      const lease = await fileStore({ root: place.home, clock: manualClock() }).log.lease(stream, "a test");
      expect(await run(["compact", "--json"])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("open in a test"),
      });
      expect(await run(["undo"])).toMatchObject({ code: 1 });
      expect((await run(["compact", "--preview"])).code).toBe(0);
      if (lease.type === "leased") await lease.release();

      expect(only((await varve(["compact", "--no-model", "--json"], place)).stdout)).toMatchObject({
        type: "compacted",
        by: "fold",
        model: null,
        cost: null,
      });
      expect((await varve(["undo"], place)).code).toBe(0);
    }));

  test("Ctrl-C stops the summary: exit code 130, nothing is taken away, and the session goes on", () =>
    inScene("anthropic", async (scene) => {
      const { run, start, ask, provider, entries } = scene;
      await work(scene, ["a", "b"]);
      await provider.fault({ kind: "stall" });
      const running = start(["compact"]);
      await running.said(/asking claude-sonnet-5-5 for a summary/);
      running.child.kill("SIGINT");
      expect(await running.ended).toMatchObject({ code: 130, stdout: "" });
      expect(await entries("summary-ended")).toMatchObject([{ outcome: "interrupted" }]);
      expect((await run(["undo"])).code).toBe(1);
      expect((await ask("go on", ["--continue"])).code).toBe(0);
    }));

  test("with no session, or nothing sent yet, there is nothing to do", async () => {
    const place = newPlace();
    try {
      for (const args of [["compact"], ["compact", "--preview"], ["compact", "--no-model"], ["undo"]])
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
