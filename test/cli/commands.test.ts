import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cut } from "../../src/testing/simulate/cut.ts";
import { spawnSimulator } from "../../src/testing/simulate/spawn.ts";
import { newPlace, varve } from "../support/varve-process.ts";

const gitEnv = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

test("varve -p /commit makes a commit in a real repository, with what the skill lists and nothing else; the head stays", async () => {
  const simulator = await spawnSimulator([
    "--brain",
    fileURLToPath(new URL("../support/commit-brain.ts", import.meta.url)),
  ]);
  const place = newPlace();
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...args], { cwd: place.work, env: gitEnv, encoding: "utf8" }).trim();
  try {
    place.write("hello.txt", "hello\n");
    git("init", "-q", "-b", "main");
    git("config", "user.name", "t");
    git("config", "user.email", "t@example.com");
    git("add", ".");
    git("commit", "-q", "-m", "Say hello");
    place.write("hello.txt", "hello\nhello\n");
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: simulator.url, VARVE_MODEL: "claude-sonnet-5-5" };
    const run = (...args: readonly string[]) => varve(args, place, { env });
    const done = await run("-p", "/commit all of it");
    expect(done).toMatchObject({ code: 0, stdout: "Committed: Say hello twice\n" });
    expect(git("log", "--format=%s|%b")).toBe("Say hello twice|Once was not enough.\n\nSay hello|");
    expect(git("status", "--short")).toBe("");
    const bodies = await bodiesOf(simulator.url);
    const heads = bodies.map((body) => JSON.stringify([JSON.parse(body).tools, JSON.parse(body).system]));
    expect(new Set(heads).size).toBe(1);
    const said = cut("anthropic", bodies.at(-1) ?? "").map(({ text }) => text ?? "");
    expect(said).toContain("/commit all of it");
    expect(said.filter((text) => text.includes("allowed-tools of skill commit does not name it"))).toHaveLength(1);
    // What looks costs no key and no request, and is of the newest session.
    const status = await varve(["-p", "/status"], place);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/model +claude-sonnet-5-5/) });
    expect(status.stdout).toMatch(/skill +commit/);
    const wrong = await varve(["-p", "/comit"], place, { env });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("/commit") });
    expect((await bodiesOf(simulator.url)).length).toBe(bodies.length);
  } finally {
    await simulator.stop();
    place.remove();
  }
}, 60_000);

async function bodiesOf(url: string): Promise<readonly string[]> {
  const found: unknown = await (await fetch(`${url}/_sim/requests`)).json();
  const { requests } = found as { readonly requests: readonly { readonly body: string }[] };
  return requests.map(({ body }) => body);
}
