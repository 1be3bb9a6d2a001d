import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { call, inScene, linesOf, newPlace, tell, varve, wires } from "../support/varve-process.ts";

const program = join(import.meta.dirname, "../../src/cli/main.ts");
const free = ["--permission-mode", "bypassPermissions"];

describe.concurrent("usage", () => {
  const bare = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const place = newPlace();
    try {
      return await varve(args, place, { env });
    } finally {
      place.remove();
    }
  };

  test("without a key: exit code 2, what to set, and the demo that needs none", async () => {
    for (const env of [{}, { VARVE_MODEL: "gpt-5.5" }, { ANTHROPIC_API_KEY: "" }]) {
      const ended = await bare(["-p", "hello"], env);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(/no key: set (ANTHROPIC|OPENAI)_API_KEY.*\n.*varve demo/);
    }
  });

  test.each([
    [["-p", "x", "--bogus"], /unknown option '--bogus'/],
    [["-p", "x", "--output-format", "xml"], /--output-format: expected one of text, json, stream-json; got "xml"/],
    [["-p", "x", "--max-turns", "0"], /--max-turns: expected a whole number from 1 on, got "0"/],
    [["-p", "x", "--max-turns", "three"], /--max-turns/],
    [["-p", "x", "--clearing", "theirs"], /--clearing: expected one of ours, provider, off; got "theirs"/],
    [["-p", "x", "--summaries", "both"], /--summaries: expected one of model, provider, off; got "both"/],
    [["-p", "x", "--permission-mode", "yolo"], /--permission-mode: expected one of default/],
    [["-p", "x", "--window", "-5"], /--window/],
    [["-p", "x", "--effort", "huge"], /--effort: expected one of low/],
    [["-p", "x", "--wire", "morse"], /--wire: expected one of anthropic, responses, gemini, chat/],
    [["-p", "x", "--base-url", "localhost:1"], /--base-url: expected an address/],
    [["-p", "x", "--fork"], /--fork needs a session/],
    [["-p", "one", "two"], /two prompts/],
    [["-p"], /nothing to do: give a prompt/],
    [["lgo"], /unknown command "lgo"; `varve --help` lists them/],
    [["-p", "x", "--wire", "gemini"], /which model\? Name one with --model/],
  ] as const)("%j is refused with exit code 2 and says what was expected", async (args, says) => {
    const ended = await bare(args, { ANTHROPIC_API_KEY: "k" });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(says);
  });

  test("with another provider's key alone the model is asked for, not Anthropic's key", async () => {
    for (const env of [{ GEMINI_API_KEY: "k" }, { OPENAI_API_KEY: "k" }]) {
      const ended = await bare(["-p", "x"], env);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(/which model\? Name one with --model/);
    }
  });

  test.each([
    [["help"], /Commands:.*Exit codes: 0 done/s],
    [["help"], new RegExp(`exit\\s+code 3 \\(${bounds.stepsPerTurnMax}\\)`)],
    [["help", "log"], /Usage: varve log /],
    [["help", "simulate"], /--expect-no-violations/],
  ] as const)("%j shows help on stdout", async (args, shows) => {
    const ended = await bare(args);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(shows);
  });

  test("a session that does not exist, or none at all yet, is exit code 1 and one plain line", async () => {
    for (const args of [
      ["-p", "--continue", "x"],
      ["-p", "x", "--resume", "2099"],
      ["log"],
      ["context"],
      ["recall", "abcd1234"],
    ]) {
      const ended = await bare(args, { ANTHROPIC_API_KEY: "k" });
      expect({ args, ...ended }).toMatchObject({ code: 1, stdout: "" });
      expect(ended.stderr).toMatch(/^varve: .*\n$/);
    }
  });

  test("an empty list of sessions is exit code 0 and nothing on stdout, and says which home was looked at", async () => {
    const ended = await bare(["log", "--list"]);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    expect(ended.stderr).toMatch(/^varve: no sessions of this project yet in \/.*\n$/);
  });
});

describe.concurrent.each(wires)("one turn (%s wire)", (wire) => {
  test("--max-turns ends with 3, a refused call with 4; text, json and stream-json hold the result alone", () =>
    inScene(wire, async ({ ask }) => {
      const bash = call("Bash", { command: "echo hi" });
      const limited = await ask(tell(bash, { text: "never" }), [...free, "--max-turns", "1"]);
      expect(limited).toMatchObject({ code: 3, stdout: "" });
      expect(limited.stderr).toMatch(
        /varve: step-limit: the limit of 1 steps is reached\nvarve: `varve -p --continue` goes on/,
      );

      const refused = await ask(tell(bash, { text: "so be it" }), ["--output-format", "json"]);
      expect(refused.code).toBe(4);
      expect(linesOf(refused.stdout)).toEqual([
        expect.objectContaining({ type: "result", reason: "permission-refused", text: "so be it", steps: 2 }),
      ]);

      const streamed = await ask(tell({ text: "look", ...bash }, { text: "seen" }), [
        ...free,
        "--output-format",
        "stream-json",
      ]);
      expect(streamed).toMatchObject({ code: 0, stderr: "" });
      const lines = linesOf(streamed.stdout);
      expect(lines.at(-1)).toMatchObject({ type: "result", reason: "done", text: "seen", steps: 2 });
      expect(lines.slice(0, -1).every(({ type }) => type === "entry")).toBe(true);
      expect(JSON.stringify(lines)).toContain('"type":"tool-returned"');
    }));

  test("a prompt comes from stdin, alone or behind the one given; NO_COLOR or not, no escape sequence is written", () =>
    inScene(wire, async ({ run }) => {
      expect(await run(["-p"], "from stdin")).toMatchObject({ code: 0, stdout: "heard: from stdin\n" });
      const both = await run(["-p", "explain"], "some text");
      expect(both).toMatchObject({ code: 0, stdout: "heard: explain\n\nsome text\n" });
      const view = await run(["context"]);
      expect(view.code).toBe(0);
      expect(both.stderr + view.stdout).not.toContain("\u001b");
    }));
});

describe.concurrent("sessions", () => {
  test("are resumed by id or its beginning; --fork goes on in a copy and leaves the original as it was", () =>
    inScene("anthropic", async ({ ask, run }) => {
      await ask("first");
      const [id = ""] = (await run(["log", "--list"])).stdout.split(" ");
      const before = (await run(["log", id, "--json"])).stdout;
      const forked = await run(["-p", "--resume", id, "--fork", "in the copy"]);
      expect(forked).toMatchObject({ code: 0, stdout: "heard: in the copy\n" });
      expect((await run(["log", id, "--json"])).stdout).toBe(before);
      const resumed = await run(["-p", "--resume", id.slice(0, -1), "in the original"]);
      expect(resumed, resumed.stderr).toMatchObject({ code: 0, stdout: "heard: in the original\n" });
      const after = (await run(["log", id, "--json"])).stdout;
      expect(after.startsWith(before)).toBe(true);
      expect(after).not.toContain("in the copy");
      const ambiguous = await run(["-p", "--resume", "2", "which?"]);
      expect(ambiguous).toMatchObject({ code: 1, stdout: "" });
      expect(ambiguous.stderr).toMatch(/names 2 sessions/);
      const unknown = await run(["-p", "--resume", "1999", "who?"]);
      expect(unknown).toMatchObject({ code: 1, stdout: "" });
      expect(unknown.stderr).toMatch(/there is no session "1999"/);
    }));

  test("that another process has are busy: who and since when, exit code 1; looking at them is free", () =>
    inScene("anthropic", async ({ provider, start, ask, run }) => {
      await provider.fault({ kind: "stall", value: 900 });
      const { child, ended } = start(["-p", "wait"]);
      for (let polls = 0; polls < 500 && (await provider.records()).length === 0; polls += 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const second = await ask("me too", ["--continue"]);
      expect(second).toMatchObject({ code: 1, stdout: "" });
      expect(second.stderr).toMatch(new RegExp(`open in process ${child.pid} of \\S+ since \\d{4}-\\d\\d-\\d\\dT`));
      expect((await run(["log", "--verify"])).code).toBe(0);
      child.kill("SIGINT");
      expect((await ended).code).toBe(130);
      expect(await ask("now?", ["--continue"])).toMatchObject({ code: 0, stdout: "heard: now?\n" });
    }));

  test("can be looked at after a restart: log, context for people and as JSON", () =>
    inScene("chat", async ({ ask, run }) => {
      await ask(tell(call("Bash", { command: "seq 1 5000" }), { text: "ok" }), free);
      expect((await run(["log"])).stdout).toMatch(/tool-returned .*Bash done \(exit 0\)/);
      const shown = await run(["context"]);
      expect(shown.stdout).toMatch(/deepseek-flash .*usable tokens.*tool results.*Bash/s);
      const [view] = linesOf((await run(["context", "--json"])).stdout);
      expect(view).toMatchObject({ model: "deepseek-flash", requests: [{ step: 1 }, { step: 2 }] });
    }));
});

describe.concurrent("surroundings", () => {
  test("a reader that goes away (head -1) ends the command quietly", () =>
    inScene("anthropic", async ({ ask, place, provider }) => {
      await ask(tell(call("Bash", { command: "seq 1 200000" }), { text: "ok" }), free);
      const handle = /\[([a-z0-9]+)\]/.exec((await varve(["log"], place)).stdout)?.[1] ?? "";
      const script = `set -o pipefail; "${process.execPath}" "${program}" recall ${handle} | head -1; echo "\${PIPESTATUS[0]}"`;
      const env = { PATH: process.env.PATH, HOME: place.home, VARVE_HOME: place.home, ...provider.env() };
      const piped = spawnSync("bash", ["-c", script], { cwd: place.work, env, encoding: "utf8" });
      expect(piped.stdout).toBe("1\n0\n");
      expect(piped.stderr).toBe("");
    }));

  test("a home that cannot be written: exit code 1 and the path, and nothing is sent", () =>
    inScene("anthropic", async ({ place, provider }) => {
      mkdirSync(place.home);
      // Permissions do not bind root; a mount does.
      const isRoot = process.getuid?.() === 0;
      const isMounted = isRoot && spawnSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", place.home]).status === 0;
      if (!isRoot) chmodSync(place.home, 0o555);
      // Root without the right to mount: a file where the folder should be is refused to everybody.
      if (isRoot && !isMounted) {
        rmSync(place.home, { recursive: true });
        writeFileSync(place.home, "not a folder");
      }
      try {
        const refused = await varve(["-p", "hello"], place, { env: provider.env() });
        expect(refused).toMatchObject({ code: isRoot && !isMounted ? 2 : 1, stdout: "" });
        expect(refused.stderr).toContain(place.home);
        expect(await provider.records()).toEqual([]);
      } finally {
        if (isMounted) spawnSync("umount", [place.home]);
        else chmodSync(place.home, 0o755);
      }
    }));

  test("a disk that is full says so with exit code 1, and the session goes on when there is room", () =>
    inScene("anthropic", async ({ place, run }) => {
      mkdirSync(place.home);
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", place.home]).status === 0;
      if (!mounted) {
        // Without the right to mount: a device that is always full stands in for the log's folder.
        console.warn("no right to mount a tmpfs: the full disk is only seen through /dev/full");
        symlinkSync("/dev/full", join(place.home, "models.json"));
        expect((await run(["-p", "hello"])).code).not.toBe(0);
        return;
      }
      try {
        expect((await run(["-p", "hello"])).code).toBe(0);
        writeFileSync(join(place.home, "ballast"), "");
        spawnSync("bash", ["-c", `cat /dev/zero > "${place.home}/ballast"`]);
        const full = await run([
          "-p",
          "--continue",
          tell(call("Bash", { command: "seq 1 50000" }), { text: "ok" }),
          ...free,
        ]);
        expect(full).toMatchObject({ code: 1, stdout: "" });
        expect(full.stderr).toMatch(/disk|space/i);
        rmSync(join(place.home, "ballast"));
        expect(await run(["-p", "--continue", "and now?"])).toMatchObject({ code: 0, stdout: "heard: and now?\n" });
        expect((await run(["log", "--verify"])).code).toBe(0);
      } finally {
        spawnSync("umount", [place.home]);
      }
    }));
});
