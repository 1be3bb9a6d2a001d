import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { boundaryMarker } from "../../src/prompt/doc.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import { call, type Ended, inScene, tell, wires } from "../support/varve-process.ts";

const dump = ["-p", "--dump-system-prompt"];
const free = ["--permission-mode", "bypassPermissions"];

/** System text and tools as the provider got them, cut here by hand. */
function sentIn({ body, wire }: SimRecord): Sent {
  const parsed = parseJson(body);
  if (parsed.type === "bad" || !isRecord(parsed.value)) throw new Error("no JSON body");
  return systems[wire](parsed.value);
}

type Body = Readonly<Record<string, unknown>>;
type Sent = { readonly system: string; readonly tools: readonly string[] };

const systems: Readonly<Record<SimRecord["wire"], (body: Body) => Sent>> = {
  anthropic: ({ system, tools }) => ({ system: textOf(system), tools: toolsOf(tools) }),
  chat: ({ messages, tools }) => ({ system: textOf(firstOf(messages).content), tools: toolsOf(tools) }),
  responses: ({ input, tools }) => ({ system: textOf(firstOf(input).content), tools: toolsOf(tools) }),
  gemini: ({ systemInstruction, tools }) => ({
    system: isRecord(systemInstruction) ? textOf(systemInstruction.parts) : "",
    tools: toolsOf(firstOf(tools).functionDeclarations),
  }),
};

function firstOf(list: unknown): Body {
  return Array.isArray(list) && isRecord(list[0]) ? list[0] : {};
}

function toolsOf(tools: unknown): readonly string[] {
  return Array.isArray(tools) ? tools.map(toolText) : [];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((block) => (isRecord(block) ? String(block.text) : "")).join("") : "";
}

/** The marker of the cache is no text that the model reads. */
function toolText(tool: unknown): string {
  if (!isRecord(tool)) throw new Error("a tool is an object");
  const { cache_control: _marker, ...rest } = tool;
  return JSON.stringify(rest);
}

/** One figure of the sizes on stderr. */
function figure({ stderr }: Ended, name: string): number {
  const found = new RegExp(`^ *(\\d+)  ${name}`, "m").exec(stderr);
  if (found === null) throw new Error(`no "${name}" in ${stderr}`);
  return Number(found[1]);
}

const staticPart = ({ stderr }: Ended) => /^static part: ([0-9a-f]+)$/m.exec(stderr)?.[1];
const before = ({ stdout, stderr }: Ended) => {
  const dynamic = stderr.split("\n").slice(stderr.split("\n").findIndex((line) => line.includes(boundaryMarker)) + 1);
  expect(dynamic.length).toBeGreaterThan(0);
  return stdout.slice(0, stdout.indexOf("# Mode\n"));
};

describe.concurrent.each(wires)("--dump-system-prompt (%s wire)", (wire) => {
  test("prints what that session sent, byte for byte, for any of its turns; head and tools keep their budget", () =>
    inScene(wire, async ({ run, ask, provider }) => {
      const next = await run(dump);
      expect((await ask(tell(call("Bash", { command: "echo hi" }), { text: "ok" }))).code).toBe(4);
      expect((await ask("on", ["--continue", ...free])).code).toBe(0);
      const records = await provider.records();
      expect(records).toHaveLength(3);
      const [id = ""] = (await run(["log", "--list"])).stdout.split(" ");
      for (const [at, record] of records.entries()) {
        const ended = await run([...dump, "--resume", id, "--turn", String(at + 1)]);
        expect(ended.code).toBe(0);
        expect(ended.stdout).toBe(sentIn(record).system);
      }
      const newest = await run([...dump, "--continue"]);
      expect(newest.stdout).toBe(sentIn(records[2] ?? fail()).system);
      expect(next.stdout).toBe(sentIn(records[0] ?? fail()).system);
      const missing = await run([...dump, "--resume", id, "--turn", "9"]);
      expect(missing).toMatchObject({ code: 1, stdout: "" });
      expect(missing.stderr).toMatch(/has 3 step requests/);

      const { tools } = sentIn(records[0] ?? fail());
      const shared = before(next);
      const counted = countTokens(shared) + tools.reduce((sum, tool) => sum + countTokens(tool), 0);
      const printed = figure(next, "sections before the boundary and tools");
      expect(counted).toBeLessThanOrEqual(4_000);
      expect(printed).toBeLessThanOrEqual(4_000);
      // Sections are counted one by one, and the chat wire wraps each tool in a few words more.
      expect(Math.abs(printed - counted)).toBeLessThanOrEqual(tools.length * 12 + 10);
      const rows = [...next.stderr.matchAll(/^ *(\d+) {2}(?!sections before|total)/gm)].map(([, tokens]) =>
        Number(tokens),
      );
      expect(rows.reduce((sum, tokens) => sum + tokens, 0)).toBe(figure(next, "total"));
    }));
});

test("the part before the boundary is the same in other folders, homes, models and modes; the boundary is never sent", async () => {
  const seen: { readonly shared: string; readonly hash: string | undefined }[] = [];
  await Promise.all(
    wires.map((wire) =>
      inScene(wire, async ({ run, ask, place, provider }) => {
        place.write("CLAUDE.md", `${boundaryMarker}\nnotes of this project`);
        place.write(`${boundaryMarker}.txt`, `one\n${boundaryMarker}\ntwo`);
        for (const mode of ["default", "plan"]) {
          const ended = await run([...dump, "--permission-mode", mode]);
          expect(ended.stdout).not.toContain(boundaryMarker);
          seen.push({ shared: before(ended), hash: staticPart(ended) });
        }
        expect((await ask("hello")).code).toBe(0);
        const [first] = await provider.records();
        // Instructions of the project are the user's: what they say stands on the user's side, and only there.
        expect(first?.body).toContain("notes of this project");
        expect(sentIn(first ?? fail()).system).not.toContain(boundaryMarker);
        const read = await ask(tell(call("Read", { path: `${boundaryMarker}.txt` }), { text: "read" }), free);
        expect(read, read.stderr).toMatchObject({ code: 0, stdout: "read\n" });
        const last = (await provider.records()).at(-1) ?? fail();
        // It came from the user's own file, so it stands in the result and nowhere in what is ours.
        expect(last.body).toContain(`two`);
        expect(sentIn(last).system).not.toContain(boundaryMarker);
        const dumped = await run([...dump, "--continue"]);
        expect(dumped.stdout).toBe(sentIn(last).system);
        seen.push({ shared: before(dumped), hash: staticPart(dumped) });
      }),
    ),
  );
  expect(seen).toHaveLength(3 * wires.length);
  expect(new Set(seen.map(({ shared }) => shared)).size).toBe(1);
  expect(new Set(seen.map(({ hash }) => hash)).size).toBe(1);
});

function fail(): never {
  throw new Error("the provider received less than was asked");
}
