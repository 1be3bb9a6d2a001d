import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { manualClock } from "../../src/testing/index.ts";
import { call, inScene, newPlace, tell, varve } from "../support/varve-process.ts";

const free = ["--permission-mode", "bypassPermissions"];
const printing = 'printf \'{"items":[{"name":"ünï"},{"name":"b"}]}\\r\\nquorum lost\\r\\nE1234 at 漢字\'';
const printed = '{"items":[{"name":"ünï"},{"name":"b"}]}\r\nquorum lost\r\nE1234 at 漢字';

describe.concurrent("varve recall", () => {
  test("gives an original byte for byte, parts of it as the tool does, and finds it by words; nothing found is exit code 1", () =>
    inScene("anthropic", async ({ ask, run, entries, place }) => {
      await ask(tell(call("Bash", { command: printing }), { text: "seen" }), free);
      const handle = String((await entries("tool-returned"))[0]?.handle);
      const out = async (...args: readonly string[]) => {
        const { code, stdout, stderr } = await run(["recall", ...args]);
        return code === 0 ? stdout : `${code}: ${stderr}`;
      };
      expect(await out(handle)).toBe(printed);
      expect(await out(handle.slice(0, 6), "lines", "2-3")).toBe("quorum lost\r\nE1234 at 漢字\n");
      expect(await out(handle, "--lines", "3")).toBe("E1234 at 漢字\n");
      expect(await out(handle, "lines", "2-")).toBe("quorum lost\r\nE1234 at 漢字\n");
      expect(await out(handle, "path", "$.items")).toContain("it is not JSON");
      expect(await out(handle, "grep", "^E\\d+")).toContain("3\tE1234 at 漢字\n");
      expect(await out(handle, "search", "quorum", "lost")).toContain("2\tquorum lost");
      expect(await out(handle, "grep", "absent")).toBe('1: varve: [no line matches "absent"]\n');
      expect(await out(handle, "grep", "(")).toMatch(/^1: varve: grep: "\("/);
      expect(await out("search", "quorum")).toMatch(
        new RegExp(`^\\[${handle}\\] Bash printf.*\\n {2}2\\tquorum lost\\n`),
      );
      expect(await out("search", "字")).toContain(`[${handle}]`);
      expect(await out("--search", "zebra")).toMatch(/^1: varve: \[nothing holds "zebra"; \d+ originals searched\]\n$/);
      expect(await out(`${handle.slice(0, -1)}x`)).toMatch(
        new RegExp(`^1: varve: No result with handle.*\\n\\[${handle}\\] Bash`),
      );
      for (const [args, says] of [
        [[], "recall what?"],
        [["--grep", "x"], "recall what?"],
        [[handle, "lines", "x"], "lines: expected a range"],
        [[handle, "lines", "0-3"], "lines: expected a range"],
        [[handle, "around"], 'got "around"'],
        [[handle, "grep"], "grep: what?"],
        [[handle, "grep", "x", "--grep", "y"], "grep is given twice"],
        [[handle, "grep", "x", "--search", "y"], "name one of"],
        [["../x"], "is no handle"],
      ] as const)
        expect(await out(...args)).toMatch(
          new RegExp(`^2: varve: [^\\n]*${says.replace("?", "\\?").replace("..", "\\.\\.")}`),
        );
      const [session = ""] = readdirSync(join(place.home, "sessions"));
      const index = join(place.home, "sessions", session, "index.sqlite");
      expect(existsSync(index)).toBe(true);
      rmSync(index);
      expect(await out("search", "E1234")).toContain(`[${handle}]`);
    }));

  test("the tool says the same, in a later process, and of another lane; redaction takes the index along", () =>
    inScene("chat", async ({ ask, run, entries, place }) => {
      await ask(tell(call("Bash", { command: printing }), { text: "seen" }), free);
      const [session = ""] = readdirSync(join(place.home, "sessions"));
      const stores = fileStore({ root: place.home, clock: manualClock() });
      const lane = { type: "lane", session: brand<"SessionId">(session), lane: brand<"LaneId">("child") } as const;
      const leased = await stores.log.lease(lane, "test");
      const text = "what the other lane saw: wombat";
      await stores.log.append({
        stream: lane,
        expectedSeq: 0,
        fence: leased.type === "leased" ? leased.fence : 0,
        entries: [{ type: "message-added", text }],
      });
      const handle = String(handleOf(hashOf(text)));
      const calls = [
        { ...call("recall", { search: "wombat" }), text: "a" },
        { ...call("recall", { handle }), text: "b" },
      ];
      const ended = await ask(tell(...calls, { text: "done" }), ["--continue", ...free]);
      expect(ended).toMatchObject({ code: 0, stdout: "done\n" });
      const outputs = (await entries("tool-returned")).map(({ output }) => output);
      const shown = await run(["recall", "search", "wombat"]);
      expect(outputs[1]).toContain(`[${handle}] user message\n  1\t${text}`);
      expect(outputs[2]).toBe(text);
      expect((await run(["recall", handle])).stdout).toBe(text);
      expect(shown.stdout).toContain(`[${handle}] user message\n  1\t${text}\n`);
      const index = join(place.home, "sessions", session, "index.sqlite");
      expect(existsSync(index)).toBe(true);
      const first = String((await entries("tool-returned"))[0]?.handle);
      expect((await run(["log", "redact", first])).code).toBe(0);
      expect(existsSync(index)).toBe(false);
      expect((await run(["recall", first])).stdout).toBe("[redacted]");
    }));

  test("without a session there is nothing to find", async () => {
    const place = newPlace();
    try {
      const [search, handle] = [
        await varve(["recall", "search", "x"], place),
        await varve(["recall", "abcdef12"], place),
      ];
      expect([search.code, handle.code]).toEqual([1, 1]);
      expect(search.stdout + handle.stdout).toBe("");
      expect(handle.stderr).toMatch(/^varve: no result with the handle abcdef12.*\n$/);
    } finally {
      place.remove();
    }
  });
});
