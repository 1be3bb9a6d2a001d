import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { homeChecks } from "../../src/cli/doctor-home.ts";
import { limitsText } from "../../src/cli/doctor-limits.ts";
import { serviceChecks } from "../../src/cli/doctor-services.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { inScene, newPlace, type Place, tell, varve } from "../support/varve-process.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

describe("a provider's limits, from the headers of its answer", () => {
  test.each([
    { name: "none", headers: { "content-type": "x" }, want: null },
    {
      name: "Anthropic's",
      headers: {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-29T12:01:00Z",
        "anthropic-ratelimit-input-tokens-remaining": "39000",
      },
      want: "input-tokens 39000 left; requests 49 of 50 left until 2026-11-29T12:01:00Z",
    },
    {
      name: "OpenAI's",
      headers: {
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
      },
      want: "tokens 149984 of 150000 left, anew in 6m0s",
    },
    {
      name: "a gateway's",
      headers: { "RateLimit-Remaining": "7", "ratelimit-reset": "30" },
      want: "requests 7 left, anew in 30s",
    },
    { name: "a limit alone", headers: { "x-ratelimit-limit-requests": "60" }, want: "requests limited to 60" },
  ])("$name", ({ headers, want }) => expect(limitsText(headers)).toBe(want));
});

describe("the home", () => {
  const states = async (root: string) => (await homeChecks(root)).map(({ name, state }) => `${name} ${state}`);
  test("that is not there yet is fine where it can be made", async () => {
    expect(await states(join(place.work, "a", "b"))).toEqual(["home ok"]);
  });
  test("that is a file, or below one, fails", async () => {
    place.write("file", "");
    expect(await states(join(place.work, "file"))).toEqual(["home fail"]);
  });
  test("that others can read is warned of, with what to do", async () => {
    const root = join(place.work, "home");
    mkdirSync(join(root, "sessions"), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, "sessions", "main.jsonl"), "", { mode: 0o644 });
    chmodSync(root, 0o755);
    expect((await homeChecks(root)).at(-1)).toMatchObject({
      state: "warn",
      said: expect.stringMatching(/^others may look into \d files or folders/),
      todo: `chmod -R go-rwx '${root}'`,
    });
    chmodSync(root, 0o700);
    expect(await states(root)).toEqual(["home ok", "modes ok"]);
  });
});

describe("providers", () => {
  const key = "sk-secret-0123456789";
  const checked = async (answer: RequestListener, timeoutMs: number = bounds.listingAskedMsMax) => {
    const server = createServer(answer);
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const address = server.address();
    const port = address === null || typeof address === "string" ? 0 : address.port;
    try {
      const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
      const checks = await serviceChecks({}, env, timeoutMs);
      expect(JSON.stringify(checks)).not.toContain(key);
      return checks;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };
  test("one that answers: its models and its limits", async () => {
    const checks = await checked((_request, response) => {
      response.setHeader("anthropic-ratelimit-requests-remaining", "49");
      response.end('{"data":[{"id":"a"},{"id":"b"}]}');
    });
    expect(checks).toMatchObject([
      { name: "keys", state: "ok", said: "ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL are set" },
      { name: "anthropic", state: "ok", said: expect.stringMatching(/lists 2 models; requests 49 left$/) },
    ]);
  });
  test.each([
    { status: 401, state: "fail", todo: "check ANTHROPIC_API_KEY" },
    { status: 404, state: "warn", todo: expect.stringContaining("models.json") },
    { status: 503, state: "fail", todo: "try again later" },
  ])("one that answers $status: $state", async ({ status, state, todo }) => {
    const body = JSON.stringify({ error: { message: `no: ${key}` } });
    const checks = await checked((_request, response) => response.writeHead(status).end(body));
    expect(checks[1]).toMatchObject({ state, todo });
  });
  test("one that is silent for longer than bounds.listingAskedMsMax, here 50 ms", async () => {
    const checks = await checked(() => {}, 50);
    expect(checks[1]).toMatchObject({ state: "fail", said: expect.stringContaining("no answer within 0.05 s") });
  });
  test("none: a warning", async () => {
    expect(await serviceChecks({}, {})).toMatchObject([{ name: "keys", state: "warn" }]);
  });
  test("one service on two wires is asked once", async () => {
    const checks = await serviceChecks({}, { OPENAI_API_KEY: key, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" });
    expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual(["keys ok", "chat fail"]);
  });
  test("an address that is none is a failure, not an end", async () => {
    const checks = await serviceChecks({}, { OPENAI_API_KEY: key, OPENAI_BASE_URL: "localhost:1" });
    expect(checks.at(-1)).toMatchObject({ name: "provider", state: "fail" });
  });
});

describe("varve doctor", () => {
  test("is content with a home that Varve itself made, a provider that answers, and says each in one line", async () => {
    await inScene("anthropic", async ({ ask, run, place: scene }) => {
      expect(await ask(tell({ text: "hello" }))).toMatchObject({ code: 0 });
      const { code, stdout } = await run(["doctor"]);
      for (const line of stdout.trimEnd().split("\n")) expect(line).toMatch(/^(ok|warn|fail) +[a-z]+ +\S/);
      const names = ["node", "sqlite", "ripgrep", "home", "modes", "settings", "models", "keys", "anthropic"];
      for (const name of names) expect(stdout).toMatch(new RegExp(`^ok +${name} `, "m"));
      expect(stdout).toContain(scene.home);
      expect(code).toBe(0);
    });
  });
  test("says what is wrong with a file, in JSON too, and ends with 1", async () => {
    mkdirSync(place.home);
    writeFileSync(join(place.home, "models.json"), "{");
    writeFileSync(join(place.home, "settings.json"), "[");
    const { code, stdout } = await varve(["doctor", "--json"], place);
    expect(code).toBe(1);
    const shown: unknown = JSON.parse(stdout);
    expect(shown).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([
        {
          name: "models",
          state: "fail",
          said: expect.stringContaining("models.json is not JSON"),
          todo: "see docs/models.md",
        },
        { name: "settings", state: "fail", said: expect.stringContaining("settings.json"), todo: "correct the file" },
      ]),
    });
  });
});
