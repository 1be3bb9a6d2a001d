import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { type Ended, newPlace, type Place, startVarve, varve } from "../support/varve-process.ts";

/** A Claude Code session by hand: a question, calls of the model, each with a command and its result. */
function session(id: string, given: { readonly calls?: number; readonly day?: string; readonly output?: string } = {}) {
  const { calls = 2, day = "2026-03-04", output = "all good" } = given;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const add = (type: string, message: unknown) => {
    const uuid = `${id}-${lines.length}`;
    const parentUuid = lines.length === 0 ? null : `${id}-${lines.length - 1}`;
    const timestamp = `${day}T10:00:${String(lines.length % 60).padStart(2, "0")}.000Z`;
    lines.push({ type, uuid, parentUuid, sessionId: id, cwd: "/home/dev/shop", version: "2.1.0", timestamp, message });
  };
  add("user", { role: "user", content: "make the tests pass" });
  for (let n = 0; n < calls; n += 1) {
    const tool = { type: "tool_use", id: `${id}-call-${n}`, name: "Bash", input: { command: `npm test ${n}` } };
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 90,
      output_tokens: 50,
    };
    add("assistant", { id: `${id}-msg-${n}`, role: "assistant", model: "claude-sonnet-4-5", content: [tool], usage });
    add("user", { role: "user", content: [{ type: "tool_result", tool_use_id: tool.id, content: `${output} ${n}` }] });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const tokensOfCall = 1_000;

function put(path: string, text: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function inPlace(play: (place: Place) => Promise<void>): Promise<void> {
  const place = newPlace();
  try {
    await play(place);
  } finally {
    place.remove();
  }
}

function reportOf({ stdout }: Pick<Ended, "stdout">) {
  const parsed = parseJson(stdout);
  if (parsed.type === "bad" || !isRecord(parsed.value)) throw new Error(`no report: ${stdout.slice(0, 200)}`);
  return parsed.value;
}

function everyFile(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => `${join(one.parentPath, one.name)} ${statSync(join(one.parentPath, one.name)).size}`)
    .sort();
}

describe("varve audit", () => {
  test("reads files and folders by name, says what they cost, and writes nothing", async () => {
    await inPlace(async (place) => {
      place.write("logs/a.jsonl", session("a"));
      place.write("logs/deep/b.jsonl", session("b", { calls: 3 }));
      place.write("logs/readme.txt", "hello");
      const before = everyFile(dirname(place.work));
      const ended = await varve(["audit", "logs"], place);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(ended.stdout).toMatch(/2 files, .* in .*logs/);
      expect(ended.stdout).toMatch(/1 other file/);
      expect(ended.stdout).toMatch(/2 sessions, 5 model calls/);
      expect(ended.stdout).toContain("Bash results");
      const json = reportOf(await varve(["audit", "logs/a.jsonl", "logs", "logs/deep", "--json"], place));
      expect(json).toMatchObject({
        partial: false,
        warnings: 0,
        others: 1,
        totals: { sessions: 2, calls: 5, promptTokens: 5 * tokensOfCall, usage: { cacheRead: 4_500, output: 250 } },
      });
      expect(everyFile(dirname(place.work))).toEqual(before);
    });
  });

  test("without paths it finds the logs of every program, says what it found, and shortens paths", async () => {
    await inPlace(async (place) => {
      const at = (path: string) => join(place.home, path);
      put(at(".claude/projects/-home-dev-shop/a.jsonl"), session("a"));
      put(at(".claude/projects/-home-dev-shop/a/subagents/agent-b.jsonl"), session("b"));
      put(at(".claude/settings.json"), "{}");
      put(at(".gemini/tmp/1234/logs.json"), "[]");
      put(at(".codex/history.jsonl"), "{}\n");
      const ended = await varve(["audit"], place);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(ended.stdout).toContain("Claude Code: 2 files");
      expect(ended.stdout).toContain("in ~/.claude/projects");
      expect(ended.stdout).toMatch(/No sessions of: .*Codex.*Gemini CLI/);
      const moved = at("elsewhere");
      put(join(moved, "projects/-x/c.jsonl"), session("c", { calls: 4 }));
      const env = { CLAUDE_CONFIG_DIR: moved };
      expect(reportOf(await varve(["audit", "--json"], place, { env }))).toMatchObject({ totals: { calls: 4 } });
    });
  });

  test("nothing found: exit code 1, what was searched and how to name files", async () => {
    await inPlace(async (place) => {
      const ended = await varve(["audit"], place);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      for (const program of [
        "Claude Code: ~/.claude/projects",
        "Codex: ~/.codex/sessions",
        "opencode",
        "Cline",
        "Varve",
      ])
        expect(ended.stderr).toContain(program);
      expect(ended.stderr).toContain("varve audit PATH");
    });
  });

  test("50 damaged and foreign files are named, skipped and counted, and the good ones are read", async () => {
    await inPlace(async (place) => {
      const torn = session("torn");
      const kinds: readonly (readonly [string, string | Buffer])[] = [
        ["empty.jsonl", ""],
        ["binary.db", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3])],
        ["zeros.jsonl", Buffer.alloc(5_000)],
        ["text.ndjson", "just words\nand more\n"],
        ["other.jsonl", '{"level":"info","msg":"started"}\n{"level":"warn","msg":"slow"}\n'],
        ["cut.json", '{"a": [1, 2'],
        ["package.json", '{"name":"x","version":"1.0.0"}'],
        ["torn.jsonl", torn.slice(0, -40)],
        ["middle.jsonl", session("middle").replace('"uuid":"middle-1"', '"uuid":')],
        ["packed.jsonl.gz", Buffer.from([0x1f, 0x8b, 8, 0])],
      ];
      for (let n = 0; n < 5; n += 1)
        for (const [name, text] of kinds)
          put(
            join(place.work, `logs/${n}/${name}`),
            typeof text === "string" ? text.replaceAll(/torn|middle/g, `$&${n}`) : text,
          );
      place.write("logs/good.jsonl", session("good"));
      const ended = await varve(["audit", "logs"], place);
      expect(ended.code).toBe(0);
      const warned = ended.stderr.trimEnd().split("\n");
      expect(warned).toHaveLength(50);
      for (let n = 0; n < 5; n += 1)
        for (const [name] of kinds)
          expect(
            warned.filter((line) => line.includes(`/logs/${n}/${name}: `) && line.split(": ").length > 2),
          ).toHaveLength(1);
      expect(ended.stdout).toContain("50 warnings");
      const json = await varve(["audit", "logs", "--json", "--quiet"], place);
      expect(json.stderr).toBe("");
      expect(reportOf(json)).toMatchObject({ warnings: 50, totals: { sessions: 11 } });
    });
  });

  test("nothing but bad files: a report without sessions, exit code 1", async () => {
    await inPlace(async (place) => {
      place.write("notes.txt", "hello");
      execFileSync("mkfifo", [join(place.work, "pipe.jsonl")]);
      const ended = await varve(["audit", "notes.txt", "pipe.jsonl", "gone.jsonl", "--json"], place);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(/notes\.txt: .*hello/);
      expect(ended.stderr).toMatch(/pipe\.jsonl: it is a pipe/);
      expect(ended.stderr).toMatch(/gone\.jsonl: no such file/);
      expect(reportOf(ended)).toMatchObject({ warnings: 3, sessions: [], totals: { sessions: 0, calls: 0 } });
    });
  });

  test("--session, --since and --days choose sessions, and those they choose are whole", async () => {
    await inPlace(async (place) => {
      const today = new Date().toISOString().slice(0, 10);
      place.write("logs/one.jsonl", session("alpha-1", { calls: 1 }));
      place.write("logs/two.jsonl", session("beta-2", { calls: 2, day: today }));
      place.write("logs/old.jsonl", session("gamma-3", { calls: 4, day: today }));
      utimesSync(join(place.work, "logs/old.jsonl"), new Date("2025-01-01"), new Date("2025-01-01"));
      for (const [flags, calls, leftOut] of [
        [["--session", "alpha"], 1, 2],
        [["--session", "two.jsonl"], 2, 2],
        [["--session", "nobody"], 0, 3],
        [["--since", "2026-03-05"], 2, 2],
        [["--since", "2026-03-04"], 3, 1],
        [["--days", "2"], 2, 2],
      ] as const) {
        const ended = await varve(["audit", "logs", "--json", ...flags], place);
        expect(reportOf(ended)).toMatchObject({ totals: { calls }, leftOut, warnings: 0 });
        expect(ended.code).toBe(calls === 0 ? 1 : 0);
      }
    });
  });

  test("--days finds what only the log beside a database holds, though the file itself is old", async () => {
    await inPlace(async (place) => {
      const path = put(join(place.work, "logs/opencode.db"), "");
      const database = new DatabaseSync(path);
      try {
        database.exec(`PRAGMA journal_mode = wal;
          CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, version TEXT, time_created INTEGER);
          CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
          CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`);
        const tokens = { input: 10, output: 5, reasoning: 0, cache: { read: 80, write: 3 } };
        const answer = { role: "assistant", modelID: "m-1", time: { created: Date.now() }, tokens };
        database.prepare("INSERT INTO session VALUES ('s1', 'p', NULL, '/w', '1.3.0', ?)").run(Date.now());
        database.prepare("INSERT INTO message VALUES ('m1', 's1', 1, 1, ?)").run(JSON.stringify(answer));
        utimesSync(path, new Date("2025-01-01"), new Date("2025-01-01"));
        const ended = await varve(["audit", "logs", "--json", "--days", "2"], place);
        expect(reportOf(ended)).toMatchObject({ totals: { calls: 1 }, leftOut: 0 });
      } finally {
        database.close();
      }
    });
  });

  test.each([
    [["--since", "yesterday"], /--since: expected a day such as/],
    [["--since", "2026-02-30"], /--since/],
    [["--days", "0"], /--days/],
    [["--days", "1", "--since", "2026-01-01"], /give one/],
    [["--top", "many"], /--top/],
    [["--session", ""], /--session/],
    [["--bogus"], /unknown option/],
    [[""], /a path is empty/],
  ] as const)("%j is refused with exit code 2", async (flags, says) => {
    await inPlace(async (place) => {
      const ended = await varve(["audit", ".", ...flags], place);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(ended.stderr).toMatch(says);
    });
  });

  test("--svg writes a picture, writes it over, and leaves every other file alone", async () => {
    await inPlace(async (place) => {
      place.write("a.jsonl", session("a"));
      const picture = join(place.work, "window.svg");
      for (let n = 0; n < 2; n += 1) expect((await varve(["audit", "a.jsonl", "--svg", picture], place)).code).toBe(0);
      expect(readFileSync(picture, "utf8")).toMatch(/^<\?xml[\s\S]*<svg[\s\S]*<\/svg>\s*$/);
      const refused = await varve(["audit", "a.jsonl", "--svg", "a.jsonl"], place);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(/--svg a\.jsonl: .*not written over/);
      expect(place.read("a.jsonl").toString()).toBe(session("a"));
      expect((await varve(["audit", "a.jsonl", "--svg", "no/such/a.svg"], place)).stderr).toMatch(
        /no such file or folder/,
      );
    });
  });

  test("secrets in a log are masked, and what acts on a terminal never reaches it", async () => {
    await inPlace(async (place) => {
      const key = `sk-ant-api03-${"Ab3".repeat(20)}`;
      const evil = "\u001b[2J\u009b31m\u202e";
      const text = session("a", { calls: 3, output: `${evil}${key} `.repeat(200) })
        .replaceAll("npm test", `curl -H ${key} ${JSON.stringify(evil).slice(1, -1)}`)
        .replaceAll("/home/dev/shop", `/x/my-own-secret-value/${JSON.stringify(evil).slice(1, -1)}`);
      place.write(`${evil.slice(1)}a.jsonl`, text);
      place.write("b\nvarve: all is well.jsonl", "no session");
      // Excerpts end within the secret.
      const long = `${"x".repeat(70)} my-own-secret-value and more`;
      place.write("c.jsonl", session("c", { output: "words ".repeat(200) }).replaceAll("npm test", long));
      const env = { SHOP_TOKEN: "my-own-secret-value" };
      const picture = join(place.work, "a.svg");
      const outputs = [
        await varve(["audit", ".", "--svg", picture], place, { env }),
        await varve(["audit", ".", "--json"], place, { env }),
      ].flatMap(({ stdout, stderr }) => [stdout, stderr]);
      for (const output of [...outputs, readFileSync(picture, "utf8")]) {
        expect(output).not.toContain(key);
        expect(output).not.toContain("my-own-s");
        for (const sign of evil.match(/[^\w[]/g) ?? []) expect(output).not.toContain(sign);
      }
      expect(outputs[1]?.split("\n").filter((line) => line.includes("all is well"))).toHaveLength(1);
    });
  });

  test.runIf(existsSync("/dev/full"))("a full disk behind stdout is said in one line, exit code 1", async () => {
    await inPlace(async (place) => {
      place.write("a.jsonl", session("a"));
      const main = join(import.meta.dirname, "../../src/cli/main.ts");
      const ended = spawnSync("/bin/sh", ["-c", '"$0" "$1" audit . > /dev/full', process.execPath, main], {
        cwd: place.work,
        encoding: "utf8",
      });
      expect(ended.stderr).toBe("varve: the output could not be written: the disk is full\n");
      expect(ended.status).toBe(1);
    });
  });

  test("a folder of links that lead in circles ends", async () => {
    await inPlace(async (place) => {
      place.write("logs/a.jsonl", session("a"));
      symlinkSync("..", join(place.work, "logs/up"));
      expect(reportOf(await varve(["audit", "logs", "--json"], place))).toMatchObject({ totals: { sessions: 1 } });
    });
  });
});

describe.skipIf(process.platform !== "linux")("an interrupt", () => {
  /** More than is read before the first signal comes: it is sent when the process has opened its first file. */
  async function started(place: Place, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const text = session("x", { calls: 40, output: "words ".repeat(3_000) });
    for (let n = 0; n < 60; n += 1) put(join(place.work, `logs/${n}.jsonl`), text.replaceAll('"x-', `"x${n}-`));
    const running = startVarve(["audit", "logs", ...args], place, { env });
    while (!isReading(running.child.pid)) await setTimeout(5);
    running.child.kill("SIGINT");
    return running;
  }

  function isReading(pid: number | undefined): boolean {
    const folder = `/proc/${pid}/fd`;
    if (!existsSync(folder)) return true;
    return readdirSync(folder).some((name) => {
      try {
        return readlinkSync(join(folder, name)).includes("/logs/");
      } catch {
        // Closed since it was listed.
        return false;
      }
    });
  }

  test("stops the reading and shows what was read, marked as partial, with exit code 130", async () => {
    await inPlace(async (place) => {
      const picture = join(place.work, "a.svg");
      const json = await (await started(place, ["--json", "--svg", picture])).ended;
      expect(json.code).toBe(130);
      const report = reportOf(json);
      expect(report).toMatchObject({ partial: true, warnings: 0 });
      expect(isRecord(report.totals) ? Number(report.totals.sessions) : 60).toBeLessThan(60);
      expect(readFileSync(picture, "utf8")).toContain("PARTIAL");
      const text = await (await started(place, [])).ended;
      expect(text.code).toBe(130);
      expect(text.stdout).toContain("PARTIAL");
    });
  });

  test("that comes twice ends at once, without a report", async () => {
    await inPlace(async (place) => {
      // Holds the program at the first signal until the second is there.
      const wait = "process.on('SIGINT',()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,1000))";
      const env = { NODE_OPTIONS: `--import "data:text/javascript,${wait}"` };
      const { child, ended } = await started(place, [], env);
      await setTimeout(200);
      child.kill("SIGINT");
      expect(await ended).toMatchObject({ code: 130, stdout: "" });
    });
  });
});
