import { expect, test } from "vitest";
import { createServerNotes } from "../../src/adapters/server-notes.ts";
import { fakeServers } from "../support/fake-servers.ts";
import { serverState } from "../support/server-state.ts";

test("each server that is late or down is named once, with what can be done; one that is there or off is not", () => {
  const starting = { status: { type: "starting" as const } };
  const down = (why: string, retryAt: number | null) => ({ status: { type: "failed" as const, why, retryAt } });
  const states = (a: object, b: object) => [
    serverState("my server", [], a),
    serverState("b", [], b),
    serverState("off", [], { status: { type: "off", why: "disabled" } }),
  ];
  const { servers, set } = fakeServers(states(starting, down("ended with exit code 3", 5_000)));
  const notes: string[] = [];
  const { looked, stop } = createServerNotes(servers, (text) => notes.push(text));
  looked();
  looked();
  set(states(down("cannot be started", null), starting));
  set(states({}, down("ended again", 9_000)));
  set(states(starting, {}));
  looked();
  expect(notes).toEqual([
    'The MCP server "my server" is still starting; its tools come in when it is there.',
    'The MCP server "b" is down: it ended with exit code 3. It is tried again; `varve mcp test b` shows how it starts.',
    "The MCP server \"my server\" is down: it cannot be started. It is not tried again by itself; `varve mcp test 'my server'` shows how it starts.",
  ]);
  stop();
  set([serverState("late", [], down("x", null))]);
  expect(notes).toHaveLength(3);
});
