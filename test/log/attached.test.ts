import { expect, test } from "vitest";
import { limitsInForce } from "../../src/agent/limits-in-force.ts";
import { memoOf } from "../../src/agent/piece-memo.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { type AttachmentKind, attachmentHandle, attachmentKey } from "../../src/log/attached.ts";
import type { EntryBody } from "../../src/log/entry.ts";
import { reduceAll } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import type { Segment } from "../../src/prompt/segment.ts";

const put = (kind: AttachmentKind, name: string): EntryBody => {
  return {
    type: "text-attached",
    attachment: { kind, name, source: name, hash: hashOf(name), text: `text of ${name}` },
  };
};

/** Two turns: what was attached in the first stands in the prompt in the second. */
function played(...bodies: readonly EntryBody[]): State {
  const sent: EntryBody = {
    ...{ type: "request-sent", request: brand("r"), purpose: "step", attempt: 1, segments: 0, chain: hashOf("") },
    ...{
      cacheKey: "",
      marks: [],
      predicted: { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  } as EntryBody;
  const all: readonly EntryBody[] = [
    ...bodies,
    { type: "message-added", text: "go" },
    sent,
    { type: "turn-ended", reason: "done", detail: "" },
    { type: "message-added", text: "on" },
  ];
  return reduceAll(
    emptyState,
    all.map((body, at) => ({ seq: at + 1, at: 0, ...body })),
  );
}

const opened = (reason: "cleared" | "compacted", more: object): EntryBody =>
  ({
    ...{ type: "epoch-opened", reason, detail: "", head: { tools: hashOf("t"), system: hashOf("s") }, edits: [] },
    ...{
      model: { wire: "anthropic", model: "m", effort: null, thinking: "off", outputTokensMax: 1 },
      userContext: "c",
    },
    ...{ cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null } },
    ...more,
  }) as EntryBody;
const next = (state: State, body: EntryBody) => reduceAll(state, [{ seq: state.seq + 1, at: 0, ...body }]);

test("a text whose block a break took away is attached no more, so that it is sent again where it is wanted", () => {
  const state = played(put("memory", "a"), put("skill", "b"));
  const after = next(state, opened("cleared", { edits: [{ type: "replaced", piece: "1.0", text: "left out" }] }));
  expect(Object.keys(after.attached)).toEqual([attachmentKey({ kind: "skill", name: "b" })]);
});

test("what is over may be cleared, what is in force and the front may not", () => {
  const state = played(put("skill", "over"), put("skill", "used"), put("rule", "r"), {
    ...{ type: "attachment-ended", kind: "skill", name: "over", why: "finished" },
  });
  const memo = memoOf(state.live, state);
  const handles = state.live.map((_piece, id) => memo.overOf?.({ id } as Segment) ?? null);
  expect(handles.filter((handle) => handle !== null)).toEqual([attachmentHandle({ text: "text of over" })]);
});

const limits = { allowed: ["Read"], disallowed: [], grants: false };
const limiting = (more: object = {}): EntryBody => {
  const attachment = { kind: "skill", name: "strict", source: "strict", hash: hashOf("s"), text: "text of strict" };
  return { type: "text-attached", attachment: { ...attachment, limits, ...more } } as EntryBody;
};
const finished: EntryBody = { type: "attachment-ended", kind: "skill", name: "strict", why: "finished" };
const named = (state: State) => limitsInForce(state).map(({ name }) => name);

test("C-095 · a skill that the model declares finished limits the rest of the turn, whatever epoch opens in it", () => {
  const state = reduceAll(
    played(),
    [limiting(), finished].map((body, at) => ({ seq: 10 + at, at: 0, ...body })),
  );
  expect(named(state)).toEqual(["skill strict"]);
  const compacted = next(state, opened("compacted", {}));
  expect(named(compacted)).toEqual(["skill strict"]);
  expect(named(next(compacted, opened("cleared", {})))).toEqual(["skill strict"]);
  const later = reduceAll(
    compacted,
    [{ type: "turn-ended", reason: "done", detail: "" } as const, { type: "message-added", text: "next" } as const].map(
      (body, at) => ({ seq: compacted.seq + 1 + at, at: 0, ...body }),
    ),
  );
  expect(named(later)).toEqual([]);
});

test("our own words on the system side have no block that a clearing could take: they and their limits stay", () => {
  const state = next(played(), limiting({ side: "system" }));
  const after = next(state, opened("cleared", {}));
  expect(after.attached[attachmentKey({ kind: "skill", name: "strict" })]).toMatchObject({ ended: null });
  expect(named(after)).toEqual(["skill strict"]);
});
