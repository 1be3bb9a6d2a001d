import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { call, inScene, type Place, type Provider, type Scene, tell, wires } from "../support/varve-process.ts";

const free = ["--permission-mode", "bypassPermissions"];
const further = ["--continue"];

/** After whatever happened: a further turn is answered, the log is whole, and nothing sent was against the rules. */
async function usable({ run, provider }: Scene): Promise<void> {
  const next = await run(["-p", "--continue", "still there?"]);
  expect(next, next.stderr).toMatchObject({ code: 0, stdout: "heard: still there?\n" });
  const verified = await run(["log", "--verify"]);
  expect(verified, verified.stderr).toMatchObject({ code: 0, stderr: "" });
  expect(verified.stdout).toMatch(/ entries, whole\n$/);
  expect((await provider.records()).filter(({ violation }) => violation !== null)).toEqual([]);
}

/** Waited for and tried again. Each row is a turn of one session, so each is also the proof that the one before left it usable. */
const passing = [
  { kind: "rate-limit", value: 0, says: /rate-limited: / },
  { kind: "rate-limit", says: /rate-limited: .*\nwaiting/s },
  { kind: "overloaded", value: 0, times: 2, says: /(overloaded|server): Overloaded/ },
  { kind: "unavailable", value: 0, says: /(overloaded|server): Service unavailable/ },
  { kind: "server-error", says: /server: .*\nwaiting/s },
  { kind: "cut", value: 700, says: /(broken-stream|network): .*\nwaiting/s },
  { kind: "early-end", value: 2, says: /broken-stream: .*\nwaiting/s },
  { kind: "stream-error", value: 3, says: /(overloaded|server): .*\nwaiting/s },
  { kind: "reset", says: /network: .*\nwaiting/s },
];

/** Not tried again, or not any more: exit code 5 and the provider's own words. */
const final = [
  { kind: "overloaded", value: 0, times: bounds.requestAttemptsMax, says: / attempts\)/ },
  { kind: "rate-limit", value: 3_600, says: /asks to wait 3600 s/ },
  { kind: "bad-request", says: /not allowed in the context/ },
  { kind: "billing", says: /credit balance/ },
  { kind: "forbidden", says: /does not have permission/ },
  { kind: "not-found", says: /Not found/ },
];

/** One wire per transport: chat goes over the same SDK and the same failures as Responses (test/adapters/model.test.ts). */
const transports = wires.filter((wire) => wire !== "chat");

describe.concurrent.each(transports)("the provider (%s wire)", (wire) => {
  test("what passes is waited for and tried again, in one session; the answer is the only thing on stdout", () =>
    inScene(wire, async (scene) => {
      for (const [at, { says, ...fault }] of passing.entries()) {
        await scene.provider.fault(fault);
        const ended = await scene.ask(`turn ${at}`, at === 0 ? [] : further);
        expect({ ...ended, fault }, ended.stderr).toMatchObject({ code: 0, stdout: `heard: turn ${at}\n` });
        expect(ended.stderr).toMatch(says);
      }
      await usable(scene);
    }));

  test("what does not pass ends the turn with exit code 5 and its reason, and the next turn is answered", () =>
    inScene(wire, async (scene) => {
      for (const [at, { says, ...fault }] of final.entries()) {
        await scene.provider.fault(fault);
        const ended = await scene.ask(`turn ${at}`, at === 0 ? [] : further);
        expect({ ...ended, fault }, ended.stderr).toMatchObject({ code: 5, stdout: "" });
        expect(ended.stderr).toMatch(/^varve: provider-gave-up: /m);
        expect(ended.stderr).toMatch(says);
      }
      await usable(scene);
    }));

  // A session each: a refusal that names no size (Responses never does) leaves nothing but a guess of the window.
  test.each(["too-long", "too-large"])("%s behind finished work folds it, and the turn goes on", (kind) =>
    inScene(wire, async (scene) => {
      scene.place.write("big.txt", "line of text\n".repeat(3_000));
      const work = call("Bash", { command: "cat big.txt" });
      const worked = await scene.ask(tell(work, work, work, { text: "read" }), free);
      expect(worked, worked.stderr).toMatchObject({ code: 0 });
      await scene.provider.fault({ kind });
      const ended = await scene.ask("and now?", further);
      expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: "heard: and now?\n" });
      expect(ended.stderr).toMatch(/overflow: .*\n.*compacted/s);
      await usable(scene);
    }),
  );

  test("too-long and too-large with nothing to fold say the sizes, and the session goes on", () =>
    inScene(wire, async (scene) => {
      for (const [at, kind] of ["too-large", "too-long"].entries()) {
        await scene.provider.fault({ kind });
        const ended = await scene.ask("hello", at === 0 ? [] : further);
        expect(ended).toMatchObject({ code: 1, stdout: "" });
        expect(ended.stderr).toMatch(/varve: window-too-small: .*\d+ tokens/);
      }
      await usable(scene);
    }));

  test("a text of signs of three and four bytes, one cut short, and a refusal are shown and said to be so", () =>
    inScene(wire, async (scene) => {
      await scene.provider.fault({ kind: "split", value: 1 });
      const text = "漢字かな交じり 🙂🏳️‍🌈 é́ ";
      const whole = await scene.ask(tell({ text, times: 20 }));
      expect(whole).toMatchObject({ code: 0, stdout: `${text.repeat(20)}\n` });
      const cut = await scene.ask(tell({ text: "half an answ", stop: "output-limit" }), further);
      expect(cut).toMatchObject({ code: 0, stdout: "half an answ\n" });
      expect(cut.stderr).toMatch(/cut at the output limit/);
      const refused = await scene.ask(tell({ text: "I would rather not.", stop: "refusal" }), further);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/refused to answer/);
      await usable(scene);
    }));

  test("100,000 tokens of output with emoji and CJK cost little and come back exactly, whole and in part", () =>
    inScene(wire, async (scene) => {
      const line = "漢字テスト 🙂 zeile é №";
      const command = `for i in $(seq 1 8000); do echo "$i ${line}"; done`;
      const ended = await scene.ask(tell(call("Bash", { command }), { text: "seen" }), free);
      expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: "seen\n" });
      const [result] = await scene.entries("tool-returned");
      const handle = String(result?.handle);
      const sent = (await scene.provider.records()).at(-1);
      expect(sent?.promptTokens).toBeLessThan(12_000);
      expect(sent?.body).toContain(handle);
      const original = Array.from({ length: 8_000 }, (_, at) => `${at + 1} ${line}\n`).join("");
      const recalled = await Promise.all([
        scene.run(["recall", handle]),
        scene.run(["recall", handle, "--lines", "4000-4001"]),
        scene.run(["recall", handle, "--search", "7999 漢"]),
      ]);
      const [whole, part, found] = recalled.map(({ stdout }) => stdout);
      expect(whole).toBe(original);
      expect(part).toContain(`4000 ${line}\n`);
      expect(part).toContain(`4001 ${line}`);
      expect(part).not.toContain("3999 ");
      expect(found).toContain(`7999 ${line}`);
      await usable(scene);
    }));
});

describe.concurrent("tools", () => {
  test("files with CRLF, CJK and emoji keep their line ends through Read and Edit", () =>
    inScene("anthropic", async (scene) => {
      scene.place.write("a.txt", "eins\r\nzwei 漢字 🙂\r\ndrei\r\n");
      const steps = [
        call("Read", { path: "a.txt" }),
        call("Edit", { path: "a.txt", old: "zwei 漢字 🙂\ndrei", new: "2 漢字 🙂\n3" }),
        { text: "done" },
      ];
      const ended = await scene.ask(tell(...steps), ["--permission-mode", "acceptEdits"]);
      expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: "done\n" });
      expect(scene.place.read("a.txt").toString()).toBe("eins\r\n2 漢字 🙂\r\n3\r\n");
      await usable(scene);
    }));

  test("one that never ends is ended at its time limit, also when it does not listen", () =>
    inScene("anthropic", async (scene) => {
      const deaf = "echo $$ > pid; trap '' TERM; while :; do sleep 0.05; done";
      const steps = [call("Bash", { command: deaf, timeoutMs: 200 }), { text: "on I go" }];
      const ended = await scene.ask(tell(...steps), free);
      expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: "on I go\n" });
      expect(ended.stderr).toMatch(/Bash timed-out: .*timed out after 200 ms/);
      expect(isRunning(scene.place)).toBe(false);
      await usable(scene);
    }));
});

describe.concurrent("Ctrl-C", () => {
  /** Ignores what can be ignored, and so does its child. */
  const deaf = tell({
    text: "I run it",
    ...call("Bash", { command: "trap '' TERM INT; sleep 60 & echo $$ > pid; while :; do wait; done" }),
  });

  test.each([
    ["SIGINT", "anthropic"],
    ["SIGTERM", "chat"],
  ] as const)("%s while the answer streams keeps the session whole (%s wire)", (signal, wire) =>
    inScene(wire, async (scene) => {
      await scene.provider.fault({ kind: "stall", value: 900 });
      const { child, ended } = scene.start(["-p", tell({ text: "word ", times: 200 })]);
      await asked(scene.provider);
      child.kill(signal);
      const { code, stdout, stderr } = await ended;
      expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
      expect(stderr).toMatch(/interrupting.*varve: interrupted: stopped by the user/s);
      await usable(scene);
    }),
  );

  test("while a tool that ignores signals runs: its result says so, and nothing of it is left", () =>
    inScene("anthropic", async (scene) => {
      const { child, ended } = scene.start(["-p", deaf, ...free]);
      await pidWritten(scene.place);
      child.kill("SIGINT");
      const { code, stderr } = await ended;
      expect(code).toBe(130);
      expect(stderr).toMatch(/interrupting/);
      expect(isRunning(scene.place)).toBe(false);
      expect((await scene.entries("tool-returned")).map(({ ending }) => ending)).toEqual(["interrupted"]);
      await usable(scene);
    }));

  test("twice ends at once, with what ran; the call is named as unknown when the session goes on", () =>
    inScene("anthropic", async (scene) => {
      const { child, ended, said } = scene.start(["-p", deaf, ...free]);
      await pidWritten(scene.place);
      child.kill("SIGINT");
      await said(/interrupting/);
      child.kill("SIGINT");
      expect((await ended).code).toBe(130);
      expect(isRunning(scene.place)).toBe(false);
      await usable(scene);
      expect(await scene.entries("outcome-unknown", "tool-returned")).toHaveLength(1);
    }));

  test("while it waits for the provider ends the wait; a bare --continue goes on with that turn, once", () =>
    inScene("anthropic", async (scene) => {
      await scene.provider.fault({ kind: "rate-limit", value: 300 });
      const { child, ended, said } = scene.start(["-p", "hello"]);
      await said(/waiting/);
      child.kill("SIGINT");
      expect(await ended).toMatchObject({ code: 130, stdout: "" });
      const resumed = await scene.run(["-p", "--continue"]);
      expect(resumed.code).toBe(0);
      expect(resumed.stdout).not.toBe("");
      const again = await scene.run(["-p", "--continue"]);
      expect(again).toMatchObject({ code: 1, stdout: "" });
      expect(again.stderr).toMatch(/nothing to resume/);
      await usable(scene);
    }));

  test("before the first byte of the answer ends the request", () =>
    inScene("chat", async (scene) => {
      await scene.provider.fault({ kind: "late", value: 60_000 });
      const { child, ended } = scene.start(["-p", "hello"]);
      await asked(scene.provider);
      child.kill("SIGINT");
      expect(await ended).toMatchObject({ code: 130, stdout: "" });
      await usable(scene);
    }));

  test("kill -9 while a tool runs: --continue without a prompt goes on, and the call is not run again", () =>
    inScene("anthropic", async (scene) => {
      const steps = [call("Bash", { command: "echo ran >> ran.txt; echo $$ > pid; sleep 30" }), { text: "went on" }];
      const { child, ended } = scene.start(["-p", tell(...steps), ...free]);
      await pidWritten(scene.place);
      child.kill("SIGKILL");
      endLeftBehind(scene.place);
      await ended;
      const resumed = await scene.run(["-p", "--continue"]);
      expect(resumed, resumed.stderr).toMatchObject({ code: 0, stdout: "went on\n" });
      expect(resumed.stderr).toMatch(
        /^varve: the session ended while this ran; its outcome is unknown.*: Bash echo ran/m,
      );
      expect(scene.place.read("ran.txt").toString()).toBe("ran\n");
      expect(await scene.entries("outcome-unknown")).toHaveLength(1);
      await usable(scene);
    }));
});

async function asked(provider: Provider): Promise<void> {
  await until(async () => (await provider.records()).length > 0);
  // The answer's first bytes are on their way; nothing that is asserted depends on whether they have come.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Polls; gives up long before the test's own limit, so that the test can clean up. */
async function until(isThere: () => boolean | Promise<boolean>): Promise<void> {
  for (let polls = 0; polls < 500; polls += 1) {
    if (await isThere()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("what was waited for did not come");
}

/** Commands of these tests write their process id to a file. */
function pidOf({ read }: Place): number | null {
  try {
    return Number(read("pid").toString()) || null;
  } catch {
    // Not written yet.
    return null;
  }
}

async function pidWritten(place: Place): Promise<void> {
  await until(() => pidOf(place) !== null);
}

/** A process that is dead and that nobody has collected counts as gone. */
function isRunning(place: Place): boolean {
  const pid = pidOf(place);
  if (pid === null) throw new Error("the command wrote no pid");
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** What a killed agent could not end itself. */
function endLeftBehind(place: Place): void {
  const pid = pidOf(place);
  if (pid !== null && isRunning(place)) process.kill(-pid, "SIGKILL");
}
