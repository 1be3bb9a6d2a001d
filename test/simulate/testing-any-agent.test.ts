import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clients } from "../e2e/client-table.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/testing-any-agent.md"), "utf8");
const blocks = [...page.matchAll(/```(\w+)(?: (\S+))?\n([\s\S]*?)```/g)].map(([, language, name, text = ""]) => ({
  language,
  name,
  text,
}));
const commands = blocks.filter(({ language }) => language === "sh");

/** What each block of commands leaves to be seen, in the order of the page. */
const outcomes: readonly { readonly of: string; readonly says: readonly RegExp[] }[] = [
  { of: "Start", says: [/Done after 2 tool results: .*hello from the file/, /"requests":3,/, /"violations":\{\}/] },
  { of: "A script", says: [/It says hello\./, /"script":\{"given":2,"left":0,"failures":\[\]\}/] },
  { of: "Faults", says: [/Done after 2 tool results/, /"faults": 2/] },
  { of: "Another time", says: [/"expired": 1/] },
  { of: "Record and replay", says: [/Done after 2 tool results[\s\S]*Done after 2 tool results/] },
  { of: "In CI", says: [/It says hello\./] },
];

describe("the page on testing any agent", () => {
  const folder = mkdtempSync(join(tmpdir(), "any-agent-"));
  const [bin, work] = [join(folder, "bin"), join(folder, "work")];
  let port = 0;

  beforeAll(async () => {
    mkdirSync(bin);
    mkdirSync(work);
    put("varve", `#!/bin/sh\nexec "${process.execPath}" "${join(root, "src/cli/main.ts")}" "$@"\n`);
    if (spawnSync("curl", ["--version"]).error !== undefined) put("curl", curlStandIn);
    for (const { name, text } of blocks) if (name !== undefined) writeFileSync(join(work, name), text);
    port = await freePort();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  function put(name: string, text: string): void {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }

  test("has a known outcome for each block of commands", () => {
    expect(commands).toHaveLength(outcomes.length);
  });

  test.each(outcomes.map((outcome, at) => ({ ...outcome, at })))(
    "its commands under '$of' do what it says",
    ({ at, says }) => {
      rmSync(join(work, "simulator.json"), { force: true });
      const text = (commands[at]?.text ?? "").replaceAll("4010", String(port));
      const path = [bin, dirname(process.execPath), process.env.PATH].join(":");
      const { NODE_COMPILE_CACHE } = process.env;
      const env = { PATH: path, NODE_COMPILE_CACHE, HOME: folder, VARVE_HOME: join(folder, `home-${at}`) };
      const ran = spawnSync("bash", ["-c", text], { cwd: work, env, encoding: "utf8", timeout: 55_000 });
      const said = `${ran.stdout}${ran.stderr}`;
      for (const pattern of says) expect(said).toMatch(pattern);
      expect([ran.status, said]).toEqual([0, said]);
    },
  );

  test.each(clients.map(({ name }) => name))("its line for %s says what our own run of it sets", (name) => {
    const client = clients.find((one) => one.name === name);
    const url = "http://127.0.0.1:4010";
    const wanted = Object.entries(client?.env(url, "sim-chat") ?? {}).filter(([, value]) => value.includes(url));
    for (const [variable, value] of wanted) expect(page).toContain(`${variable}=${value}`);
    expect(page.toLowerCase().replaceAll(" ", "-")).toContain(`|-${name}-|`);
  });

  test("shows the example that the type check compiles, and it runs", () => {
    const example = blocks.find(({ language }) => language === "ts")?.text;
    expect(example).toBe(readFileSync(join(root, "examples/simulate.ts"), "utf8"));
    const file = join(folder, "simulate.ts");
    writeFileSync(file, (example ?? "").replace("varve/testing", join(root, "src/testing/index.ts")));
    const ran = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 55_000 });
    expect(ran.stdout).toMatch(/point your agent at http:\/\/127\.0\.0\.1:\d+\nit answers with 200\n/);
    expect(ran.status).toBe(0);
  });
});

/** For systems without curl: the two forms that the page uses. */
const curlStandIn = `#!${process.execPath}
const args = process.argv.slice(2);
const at = args.indexOf("-d");
const sent = at === -1 ? {} : { method: "POST", body: args[at + 1] };
const url = args.find((arg) => arg.startsWith("http"));
fetch(url, sent).then((answer) => answer.text()).then((text) => process.stdout.write(text));
`;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
