import { expect, test } from "vitest";
import { serversLook } from "../../src/adapters/servers-told.ts";
import { noMeasures } from "../../src/mcp/card-measures.ts";
import type { LookAt } from "../../src/ports/knowledge.ts";
import type { ServerState } from "../../src/ports/servers.ts";
import { fakeServers } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";

const ready = serverState("shop", [listedTool("look")], { instructions: "Ask first." });
const starting = serverState("shop", [], { status: { type: "starting" } });
const down = serverState("shop", [], { status: { type: "failed", why: "exit 1", retryAt: null } });
const at = (held: LookAt["held"] = []): LookAt => ({ message: "go on", touched: [], held });

/** What an earlier process told of it, and a look of one that goes on with that session. */
async function wentOn(first: ServerState) {
  const { servers, set } = fakeServers([ready]);
  const { attachments: held } = await serversLook(servers, noMeasures)(at(), 200_000);
  set([first]);
  const look = serversLook(servers, noMeasures);
  return { held, set, look: () => look(at(held), 200_000) };
}

test("a session that is gone on with finds the blocks of its servers as they were", async () => {
  const { look, held, set } = await wentOn(ready);
  expect(await look()).toMatchObject({ attachments: held, kept: [] });
  set([starting]);
  expect(await look()).toMatchObject({ attachments: [], kept: [{ kind: "server", name: "shop" }] });
});

test("one that is late or down keeps the block that it had; that it is down is a line", async () => {
  const late = await wentOn(starting);
  expect(await late.look()).toMatchObject({ attachments: [], kept: [{ kind: "server", name: "shop" }] });
  const { look } = await wentOn(down);
  const { attachments, kept } = await look();
  expect(kept).toEqual([{ kind: "server", name: "shop" }]);
  expect(attachments).toEqual([expect.objectContaining({ text: expect.stringContaining('"shop" is down') })]);
});

test("one that the conversation does not know is said to be starting", async () => {
  const { servers } = fakeServers([starting]);
  const { attachments } = await serversLook(servers, noMeasures)(at(), 200_000);
  expect(attachments).toEqual([expect.objectContaining({ text: expect.stringContaining("still starting") })]);
});
