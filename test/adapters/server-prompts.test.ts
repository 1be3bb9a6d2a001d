import { expect, test } from "vitest";
import { promptCallsOf } from "../../src/adapters/server-prompts.ts";
import { refused } from "../../src/agent/refused.ts";
import { fakeServers } from "../support/fake-servers.ts";
import { serverState } from "../support/server-state.ts";

const hello = { name: "hello", description: "", arguments: [] };

test("a prompt typed while its server is starting waits for it; a name of no server, or one that is listed, waits for nothing", async () => {
  const fake = fakeServers([serverState("s", [], { status: { type: "starting" } })]);
  let waits = 0;
  const settled = async () => {
    waits += 1;
    fake.set([serverState("s", [], { prompts: [hello] })]);
  };
  const sent: string[] = [];
  const call = async ({ body }: { readonly body: string }) => {
    sent.push(body);
    return refused("sent");
  };
  const prompts = promptCallsOf({ call }, { ...fake.servers, settled });

  expect([await prompts.call("review", ""), waits]).toEqual([null, 0]);
  expect([await prompts.call("mcp__s__hello", ""), waits]).toEqual([refused("sent"), 1]);
  expect([await prompts.call("mcp__s__hello", ""), waits]).toEqual([refused("sent"), 1]);
  expect(sent).toEqual(["prompt hello", "prompt hello"]);
  expect([await prompts.call("mcp__s__other", ""), waits]).toEqual([null, 2]);
});
