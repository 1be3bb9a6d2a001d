import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSession, SessionOpenError, type SessionOptions } from "../src/index.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "varve-library-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const home = () => join(folder, "home");
const opened = (open?: SessionOptions["open"]) =>
  createSession({
    model: "claude-sonnet-5-5",
    endpoints: {},
    cwd: folder,
    userFolder: null,
    home: home(),
    world: { model: scriptedModel([{ text: "hello" }]) },
    ...(open === undefined ? {} : { open }),
  });

/** One turn, and the session's id as plain text, as a program would keep it. */
async function oneTurn(open?: SessionOptions["open"]): Promise<string> {
  const session = await opened(open);
  expect(await session.prompt("hi")).toMatchObject({ reason: "done", text: "hello" });
  await session.close();
  return String(session.id);
}

describe("createSession", () => {
  test("a session is gone on with, or copied, by its id as text", async () => {
    const first = await oneTurn();
    expect(await oneTurn({ type: "resume", session: first })).toBe(first);
    const copy = await opened({ type: "fork", session: first });
    expect(copy.id).not.toBe(first);
    expect(copy.state().live.filter(({ role }) => role === "assistant")).toHaveLength(2);
    await copy.close();
  });

  test.each(["20200101-000000-none", "../../elsewhere", "..", "", "a/b"])(
    "%j names no session: it is refused and leaves nothing behind",
    async (session) => {
      for (const type of ["resume", "fork"] as const) {
        const error = await opened({ type, session }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(SessionOpenError);
        expect(error).toMatchObject({ code: "not-found" });
      }
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test("a log that lost its first line is gone on with, and the damage is named", async () => {
    const id = await oneTurn();
    const log = join(home(), "sessions", id, "main.jsonl");
    const [, ...rest] = readFileSync(log, "utf8").split("\n");
    writeFileSync(log, rest.join("\n"));
    const session = await opened({ type: "resume", session: id });
    expect(session.damage).not.toEqual([]);
    expect(session.state().started).toMatchObject({ session: id, cwd: folder });
    expect(await session.prompt("and now?")).toMatchObject({ reason: "done" });
    await session.close();
  });
});
