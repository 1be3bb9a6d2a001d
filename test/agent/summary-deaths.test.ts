import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import type { Session } from "../../src/agent/session.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { type Wire, wires } from "../../src/kernel/usage.ts";
import type { Entry, EntryBody } from "../../src/log/entry.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import type { SummaryBehaviour } from "../../src/testing/simulate/summaries.ts";
import type { Tool } from "../../src/tools/tool.ts";
import {
  compactions,
  entriesOf,
  lookTool,
  type Provider,
  summingProvider,
  summingWorld,
  timed,
} from "../support/summing.ts";
import { stream, type TestWorld } from "../support/world.ts";

const asked = "Look at each, up to file 8";

/** Files that were looked at are known, so that a compaction shows them again. */
function lookAtFiles(looked: string[]): Tool {
  const look = lookTool(looked);
  const parse: Tool["parse"] = (input) => {
    const parsed = look.parse(input);
    if (parsed.type === "bad") return parsed;
    const path = isRecord(input) ? String(input.path) : "";
    const files = [{ path: `/w/app/${path}`, how: "read", hash: hashOf(`what ${path} holds`) }] as const;
    const { run } = parsed.call;
    return { type: "ok", call: { ...parsed.call, run: async (...given) => ({ ...(await run(...given)), files }) } };
  };
  return { ...look, parse };
}

/** A world whose log ends where a process died, with the provider that knows of all that was sent. */
async function worldOf(wire: Wire, provider: Provider, before: { entries: readonly Entry[]; blobs: Blobs } | null) {
  const stores = memoryStore(manualClock());
  if (before !== null) await fill(stores, before);
  const looked: string[] = [];
  const world = await summingWorld({ wire, provider, stores, tools: [lookAtFiles(looked)] });
  for (let n = 1; n <= 8; n++) {
    const [path, text] = [`/w/app/src/f${n}.ts`, `what src/f${n}.ts holds`];
    world.texts[path] = text;
    world.files[path] = hashOf(text);
  }
  return { world, stores, looked };
}

type Blobs = readonly string[];
type Stores = ReturnType<typeof memoryStore>;

async function fill({ log, blobs }: Stores, before: { readonly entries: readonly Entry[]; readonly blobs: Blobs }) {
  const lease = await log.lease(stream, "the one that died");
  if (lease.type !== "leased") throw new Error("a new store is busy");
  for (const text of before.blobs) await blobs.put(stream, text);
  const bodies = before.entries.map(({ seq: _seq, at: _at, ...body }): EntryBody => body as EntryBody);
  if (bodies.length > 0) await log.append({ stream, expectedSeq: 0, fence: lease.fence, entries: bodies });
  await lease.release();
}

/** Every text that a session keeps beside its log. */
function noting(world: TestWorld) {
  const blobs: string[] = [];
  const fx = {
    ...world.fx,
    putBlob: async (text: string) => {
      blobs.push(text);
      return await world.fx.putBlob(text);
    },
  };
  return { fx, blobs };
}

type Work = (session: Session, world: TestWorld) => Promise<unknown>;

const byItself: Work = (session, world) => timed(session.prompt(asked), world.clock);
const byHand: Work = async (session, world) => {
  await timed(session.prompt("Look at each, up to file 4"), world.clock);
  await timed(session.compact({ focus: "the files" }), world.clock);
  await timed(session.prompt(asked), world.clock);
};

/** What a user does who finds the session broken off: goes on, or says it again. */
async function goOn(session: Session, world: TestWorld): Promise<void> {
  await timed(session.resume(), world.clock);
  const said = entriesOf(await world.entries(), "message-added");
  const isAsked = said.some(({ text }) => text === asked);
  if (!isAsked || session.state().lastTurn?.reason !== "done") await timed(session.prompt(asked), world.clock);
}

/** From a little before the first compaction was due to the answer after it. */
function compactionIn(entries: readonly Entry[]): readonly [from: number, upTo: number] {
  const asked = entries.findIndex(({ type }) => type === "compaction-asked" || type === "summary-asked");
  const opened = entries.findIndex((entry) => entry.type === "epoch-opened" && entry.reason === "compacted");
  const answered = entries.findIndex(({ type }, at) => at > opened && type === "response-received");
  return [Math.max(2, asked - 3), answered + 3];
}

function faultsOf(entries: readonly Entry[], from: number): readonly string[] {
  const faults: string[] = [];
  let since: "nothing" | "answer" | "compaction" = "answer";
  let calls = 0;
  for (const entry of entries) {
    if (entry.type === "response-received") [since, calls] = ["answer", 0];
    if (entry.type === "compaction-asked") [since, calls] = ["answer", 0];
    if (entry.type === "turn-ended" || entry.type === "turn-resumed") calls = 0;
    if (entry.type === "summary-asked") calls += 1;
    if (calls > bounds.summaryTriesMax) faults.push(`${calls} calls for one summary at ${entry.seq}`);
    if (entry.type !== "epoch-opened" || entry.reason !== "compacted") continue;
    if (since === "compaction") faults.push(`the work was folded again at ${entry.seq}`);
    since = "compaction";
  }
  const shown = entriesOf(entries, "reminder-added").filter(({ source }) => source === "files").length;
  if (shown > compactions(entries).length) faults.push("files were shown more often than work was compacted");
  return faults.map((fault) => `cut behind ${from}: ${fault}`);
}

/** The first two on every wire. */
const kinds: readonly (readonly [string, Work, readonly SummaryBehaviour[]])[] = [
  ["by itself, behind a bad summary", byItself, ["empty", "good"]],
  ["by hand", byHand, ["good"]],
  ["by itself, with a good summary", byItself, ["good"]],
  ["by itself, without a summary", byItself, ["junk"]],
];

for (const wire of wires)
  describe(`on ${wire}, a process that dies`, () => {
    for (const [how, work, behaviours] of wire === "anthropic" ? kinds : kinds.slice(0, 2))
      test(`behind any entry of a compaction ${how} costs no second fold, no call too many, and loses nothing`, async () => {
        const provider = summingProvider(behaviours);
        const { world } = await worldOf(wire, provider, null);
        const { fx, blobs } = noting(world);
        await work(await world.open(fx), world);
        const whole = await world.entries();
        expect(compactions(whole).length).toBeGreaterThan(0);
        const faults: string[] = [];
        const [from, upTo] = compactionIn(whole);
        for (let cut = from; cut <= upTo; cut++) faults.push(...(await diedBehind(cut)));
        expect(faults).toEqual([]);

        async function diedBehind(cut: number): Promise<readonly string[]> {
          const again = await worldOf(wire, provider, { entries: whole.slice(0, cut), blobs });
          const session = await again.world.open();
          await goOn(session, again.world);
          const entries = await again.world.entries();
          const state = session.state();
          const found = [...faultsOf(entries, cut)];
          if (state.lastTurn?.reason !== "done")
            found.push(`cut behind ${cut}: it ended ${state.lastTurn?.reason}: ${state.lastTurn?.detail}`);
          const returned = new Set(entriesOf(entries, "tool-returned").map(({ handle }) => handle)).size;
          const unknown = entries.filter((entry) => entry.type === "outcome-unknown" && entry.what === "tool").length;
          if (returned + unknown !== 8 || entriesOf(entries, "tool-started").length !== 8)
            found.push(`cut behind ${cut}: ${returned} looks, ${unknown} unknown, ${again.looked.join(" ")}`);
          return found;
        }
      });
  });
