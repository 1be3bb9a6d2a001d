import { afterEach, expect, test } from "vitest";
import { mainLane } from "../../src/kernel/ids.ts";
import type { OpenSession } from "../../src/session/options.ts";
import {
  lastResult,
  modelsOfServers,
  movedIn,
  type ServerPlace,
  serverPlace,
  using,
} from "../support/server-session.ts";
import { entryOf, stubLaunch } from "../support/stub-servers.ts";
import { call, tell } from "../support/varve-process.ts";

let place: ServerPlace;
afterEach(() => place.end());

/** What the conversation was told of servers. */
async function toldIn({ id }: OpenSession): Promise<readonly string[]> {
  const told: string[] = [];
  for await (const entry of place.stores.log.read({ type: "lane", session: id, lane: mainLane }, null))
    if (entry.type === "text-attached" && entry.attachment.kind === "server") told.push(entry.attachment.name);
    else if (entry.type === "attachment-ended") told.push(`${entry.name} ended`);
  return told;
}

test.each(modelsOfServers)(
  "%s with %s: gone on with, a server is called at once and not told of anew; taken away, it is said to be gone",
  async (_wire, model, way) => {
    place = serverPlace(model);
    const tools = [{ name: "look", description: "Looks", inputSchema: { type: "object", properties: {} } }];
    const shop = entryOf("shop", place.watched("shop", stubLaunch({ tools, instructions: "Ask first." })));
    const look = using(way, "mcp__shop__look", {});
    const session = await place.open([shop]);
    const finds = call("ToolSearch", { query: "look" });
    expect(await session.prompt(tell(finds, look, { text: "Done." }))).toMatchObject({ reason: "done" });
    await session.close();

    const open = { type: "resume", session: session.id } as const;
    const again = await place.open([shop], { open });
    await again.prompt(tell(look, { text: "Done." }));
    expect(lastResult(place)).toContain("{}");
    expect(await toldIn(again)).toEqual(["shop"]);
    // However the wire has it called, its results are its own.
    expect(await again.command("/context")).toMatchObject({
      text: expect.stringMatching(/tool results[^\n]*\n +mcp__shop__look /),
    });
    await again.close();

    const without = await place.open([], { open });
    await without.prompt(tell(call("mcp__shop__look", {}), { text: "Done." }));
    expect(lastResult(place)).toMatch(/The MCP server .*shop.* is not configured any more/);
    expect(await toldIn(without)).toEqual(["shop", "shop ended"]);
    expect(movedIn(place.simulation.requests())).toEqual([]);
  },
);
