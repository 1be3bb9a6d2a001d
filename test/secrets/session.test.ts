import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/agent/config.ts";
import { createSession, type SessionOptions } from "../../src/index.ts";
import type { Text } from "../../src/log/block.ts";
import { secretValues } from "../../src/secrets/secret-values.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { usualGuards } from "../../src/workspace/guards.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varve-secrets-"));
  mkdirSync(join(folder, "work"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = "TESTKEY-9";
const work = (name: string) => join(folder, "work", name);

/** Every file below, by its path. */
function filesBelow(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));
}

type Played = {
  readonly bodies: readonly string[];
  readonly shown: string;
  readonly saved: string;
  readonly told: number;
  readonly results: readonly string[];
};

/** One turn of calls, as the model makes them; all that left or stayed. */
async function played(
  replies: readonly ScriptedReply[],
  more: Partial<SessionOptions> = {},
  env: Record<string, string> = {},
  prompt = "go",
): Promise<Played> {
  const model = scriptedModel(replies);
  let [shown, told] = ["", 0];
  const outputs: Text[] = [];
  const session = await createSession({
    model: "claude-sonnet-5-5",
    endpoints: { anthropic: { apiKey: key } },
    cwd: join(folder, "work"),
    userFolder: null,
    home: join(folder, "home"),
    mode: "bypassPermissions",
    listed: null,
    onMasked: () => {
      told += 1;
    },
    ...more,
    world: { model, env: { PATH: process.env.PATH ?? "", HOME: folder, PROVIDER_KEY: key, ...env } },
  });
  session.listen((event: SessionEvent) => {
    shown += JSON.stringify(event);
    if (event.type === "entry" && event.entry.type === "tool-returned") outputs.push(event.entry.output);
  });
  await session.prompt(prompt);
  await session.close();
  const saved = filesBelow(join(folder, "home"))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const blobs = join(folder, "home", "sessions", session.id, "blobs");
  const textOf = (text: Text) =>
    typeof text === "string" ? text : readFileSync(join(blobs, text.blob.slice(0, 2), text.blob), "utf8");
  return { bodies: model.bodies, shown, saved, told, results: outputs.map(textOf) };
}

const calls = (...list: readonly (readonly [string, unknown])[]): readonly ScriptedReply[] =>
  list.map(([tool, input], at) => ({ calls: [{ id: `call_${at}`, tool, input }] }));
const bash = (command: string) => ["Bash", { command }] as const;

function expectNowhere({ bodies, shown, saved }: Played, value = key): void {
  for (const place of [...bodies, shown, saved]) expect(place.includes(value)).toBe(false);
}

describe("C-127 · a key in what comes in is masked before it is saved, sent or shown", () => {
  test("in a command's output: whole, split by colours, by a wrap, in base64, and over the cut of a capture", async () => {
    writeFileSync(work("key"), key);
    const run = await played(
      calls(
        bash("cat key; printf 'TEST\\033[31mKEY\\033[0m-9\\n'; printf 'TESTKE\\r\\nY-9\\n'; base64 key"),
        bash("head -c 300 /dev/zero | tr '\\0' x; cat key; head -c 9000 /dev/zero | tr '\\0' y; cat key"),
      ),
    );
    expectNowhere(run);
    expectNowhere(run, "VEVTVEtFWS");
    expect(run.results[0]?.match(/\[secret: PROVIDER_KEY\]/g)).toHaveLength(4);
  });

  test("in files: Read whole and from the middle of a line, Grep with a window, an edit's report", async () => {
    writeFileSync(work(".env"), `A=1\nKEY=${key}\n${"z".repeat(5_000)}${key}${"z".repeat(5_000)}\n`);
    const run = await played(
      calls(
        ["Read", { path: ".env" }],
        ["Read", { path: ".env", startLine: 2, column: 8 }],
        ["Grep", { pattern: "ESTKE", context: 1 }],
        ["Edit", { path: ".env", old: "A=1 ", new: "B" }],
      ),
    );
    expectNowhere(run);
    expectNowhere(run, "KEY-9");
    expect(run.results[0]).toContain("KEY=[secret: PROVIDER_KEY]");
  });

  test("in the output of a command beside the turn, looked at and at its end", async () => {
    writeFileSync(work("key"), key);
    const run = await played(
      calls(
        ["Bash", { command: "cat key; sleep 0.2; cat key", background: true }],
        ["TaskOutput", { task: "task-1", waitMs: 3_000 }],
        bash("sleep 0.5"),
      ),
    );
    expectNowhere(run);
    expect(run.saved).toContain("[secret: PROVIDER_KEY]");
  });

  test("in what the user typed; it is said once", async () => {
    const run = await played([{ text: "ok" }], {}, {}, `use ${key} please, ${key}`);
    expectNowhere(run);
    expect(run.told).toBe(1);
    expect(run.bodies[0]).toContain("use [secret: PROVIDER_KEY] please");
  });

  test("in errors of the provider that repeat it, as an answer, inside the stream and from the network", async () => {
    const error = { type: "error", error: { type: "authentication_error", message: `bad key ${key}` } };
    for (const fail of [
      { type: "http-error", status: 401, headers: {}, body: error },
      { type: "event", data: error },
      { type: "network-error", message: `cannot reach https://x:${key}@host`, timedOut: false },
    ] as const)
      expectNowhere(await played([{ fail }]), key);
  });

  test("the environment of commands has no key under any name, and bash keeps no history", async () => {
    const run = await played(
      calls(bash("env; cat /proc/self/environ | tr '\\0' '\\n'; set -o | grep history")),
      {},
      { PLAIN: key, OTHER_TOKEN: "abc-DEF-123" },
    );
    expect(run.results[0]).not.toMatch(/PROVIDER_KEY|PLAIN|OTHER_TOKEN|secret:/);
    expect(run.results[0]).toMatch(/history\s+off/);
    expect(filesBelow(folder).filter((path) => path.includes("history"))).toEqual([]);
  });

  test("even from our own environment, which a command can read through /proc, it does not come out", async () => {
    process.env.VARVE_TEST_TOKEN = "parent-Secret-77";
    try {
      const run = await played(calls(bash("cat /proc/$PPID/environ")), {}, { VARVE_TEST_TOKEN: "parent-Secret-77" });
      expectNowhere(run, "parent-Secret-77");
    } finally {
      delete process.env.VARVE_TEST_TOKEN;
    }
  });

  test("no process that runs has it in its arguments, and no file of ours may be read by others", async () => {
    const script = "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null; echo; done > lines.txt";
    const run = await played(
      calls(["Bash", { command: `sleep 3`, background: true }], bash(script), ["Grep", { pattern: "x" }]),
    );
    expect(readFileSync(work("lines.txt"), "utf8").replaceAll(/.*vitest.*/g, "")).not.toContain(key);
    expect(run.results.length).toBe(3);
    const home = join(folder, "home");
    for (const path of filesBelow(home)) expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
    expect(statSync(home).mode & 0o077).toBe(0);
  });

  test("what the user passes or sets by name is there, and masked in the output", async () => {
    const guards = {
      ...usualGuards,
      env: { pass: ["NPM_TOKEN"], set: { CI: "1", MY_SECRET: "set-By-User-1" } },
    } as const;
    const run = await played(
      calls(bash('echo $NPM_TOKEN $CI $MY_SECRET; [ "$NPM_TOKEN" = npm-Token-123 ] && echo same')),
      { guards },
      { NPM_TOKEN: "npm-Token-123" },
    );
    expect(run.results[0]).toBe("[secret: NPM_TOKEN] 1 [secret: MY_SECRET]\nsame\n");
  });
});

test("`redact: off` shows what only looks like a token; values of the environment stay masked", async () => {
  const token = `gh${"p_"}${"aB3dE5gH7j".repeat(4)}`;
  writeFileSync(work("notes"), `${token} ${key}\n`);
  const shown = await played(calls(["Read", { path: "notes" }]), { guards: { ...usualGuards, redact: "off" } });
  expect(shown.results[0]).toContain(`${token} [secret: PROVIDER_KEY]`);
  const masked = await played(calls(["Read", { path: "notes" }]));
  expect(masked.results[0]).toContain("[secret: github token] [secret: PROVIDER_KEY]");
});

describe("a mask is never taken for the secret it stands for", () => {
  test("Write, Edit and commands that hold one are refused, and the file stays as it was", async () => {
    writeFileSync(work(".env"), `KEY=${key}\nB=1\n`);
    const mask = "[secret: PROVIDER_KEY]";
    const run = await played(
      calls(
        ["Read", { path: ".env" }],
        ["Write", { path: ".env", content: `KEY=${mask}\nB=2\n` }],
        ["Edit", { path: ".env", old: `KEY=${mask}`, new: "KEY=x" }],
        bash(`echo 'KEY=${mask}' > .env`),
        ["Edit", { path: ".env", old: "B=1", new: "B=2" }],
      ),
    );
    expect(readFileSync(work(".env"), "utf8")).toBe(`KEY=${key}\nB=2\n`);
    for (const at of [1, 2, 3]) expect(run.results[at]).toContain(`${mask}`);
    expect(run.results[1]).toContain("Nothing was written");
    expect(run.results[3]).toContain("Not run");
    expect(run.results[4]).toContain("Edited");
  });

  test("a file that itself holds such a text can be changed, and other brackets are nothing special", async () => {
    writeFileSync(work("a.md"), "the mask [secret: github token] is ours\n");
    await played(
      calls(
        ["Read", { path: "a.md" }],
        ["Edit", { path: "a.md", old: "[secret: github token] is ours", new: "[secret: github token] is a mask" }],
        ["Write", { path: "b.md", content: "[secret: NOBODY]" }],
      ),
    );
    expect(readFileSync(work("a.md"), "utf8")).toContain("is a mask");
    expect(readFileSync(work("b.md"), "utf8")).toBe("[secret: NOBODY]");
  });
});

const value = fc
  .string({ unit: fc.constantFrom(..."abcXYZ0189-_.+"), minLength: 8, maxLength: 24 })
  .map((text) => `q${text}Z7`)
  .filter((text) => secretValues({ A_TOKEN: text }, []).length === 1);
const gap = fc.constantFrom("", "", "\\033[1m", "\\033[38;5;9m", "\\n", "\\r\\n");

test("C-127 · for any value and any splits, nothing under the home and no request holds it", async () => {
  await fc.assert(
    fc.asyncProperty(
      value,
      fc.array(gap, { minLength: 30, maxLength: 30 }),
      fc.nat(2_000),
      async (secret, gaps, before) => {
        const split = [...secret].map((char, at) => char + (at + 1 < secret.length ? gaps[at] : "")).join("");
        writeFileSync(work("plain"), `${"x".repeat(before)}${secret}`);
        const printed = `head -c ${before} /dev/zero | tr '\\0' .; printf -- '${split}'; cat plain`;
        const run = await played(calls(bash(printed), ["Read", { path: "plain" }]), {}, { A_TOKEN: secret });
        // The command itself is the model's own words, and this model was told the value by the test.
        const stripped = (text: string) =>
          text.replaceAll(JSON.stringify(printed).slice(1, -1), "").replaceAll(printed, "");
        for (const text of [...run.bodies, run.saved]) expect(stripped(text).includes(secret)).toBe(false);
        for (const result of run.results) expect(result).toContain("[secret: A_TOKEN]");
        rmSync(join(folder, "home"), { recursive: true, force: true });
      },
    ),
    { numRuns: 12 },
  );
}, 60_000);
