import { systemClock } from "../../src/adapters/clock.ts";
import { createServers } from "../../src/adapters/mcp-servers.ts";
import { exactCounter } from "../../src/budget/exact.ts";
import { type CatalogueTool, catalogueOf } from "../../src/mcp/catalogue.ts";
import type { OpenSession } from "../../src/session/options.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import type { ServerEntry } from "../../src/workspace/server-settings.ts";
import { lastResult, movedIn, type ServerPlace, serverPlace } from "../support/server-session.ts";
import { entryOf, realLaunch, stubLaunch } from "../support/stub-servers.ts";
import { call, tell } from "../support/varve-process.ts";
import { emptyService, launchOf } from "./drive-server.ts";
import { check } from "./run-program.ts";
import type { ServerProgram } from "./server-table.ts";

const startMsMax = 60_000;
const toolsMin = 500;
/** What is declared because there are servers, and what they say of themselves: at most so much of declaring all their tools. */
const shareMax = 0.03;

/**
 * One session with all these servers, the small ones of the tests, and made-up tools where there are fewer than 500: what its
 * first request holds of them, three tools of each server found by words, and one called. Gives a line for people.
 */
export async function driveSession(programs: readonly ServerProgram[], cache: string): Promise<string> {
  const place = serverPlace("claude-sonnet-5-5");
  const service = await emptyService();
  try {
    const large = programs.map((program) => {
      const launch = launchOf(program, { cache, url: service.url, cwd: place.folder });
      return entryOf(program.name, place.watched(program.name, launch), startMsMax);
    });
    const real = [...large, ...smallServers(place)];
    const listed = await toolsOf(real, place);
    const made = madeServer(toolsMin - listed.length);
    const tools = [...listed, ...(made === null ? [] : await toolsOf([made], place))];
    const session = await place.open(made === null ? real : [...real, made]);
    await allReady(session);
    check((await session.prompt("Hello.")).reason === "done", "the first turn did not end");
    const share = await shareText(place, tools);
    for (const program of programs) await useIn(session, place, program);
    const moved = movedIn(place.simulation.requests());
    check(moved.length === 0, moved.join("\n"));
    await session.close();
    check(place.alive().length === 0, `processes that outlive the session: ${place.alive().join(", ")}`);
    const names = programs.map(({ name }) => name).join(", ");
    return `a session with ${names}: ${share}; of each three tools found by words and one called`;
  } finally {
    service.end();
    await place.end();
  }
}

function smallServers(place: ServerPlace): readonly ServerEntry[] {
  const launches = {
    files: realLaunch("mcp-server-filesystem", [place.work]),
    everything: realLaunch("mcp-server-everything"),
    memory: realLaunch("mcp-server-memory"),
  };
  return Object.entries(launches).map(([name, launch]) => entryOf(name, place.watched(name, launch)));
}

/** So many tools of the size that public servers have. */
function madeServer(count: number): ServerEntry | null {
  if (count <= 0) return null;
  const parameters = ["subscription", "group", "region"].map((name) => [
    name,
    { type: "string", description: `The ${name} it is for.` },
  ]);
  const inputSchema = { type: "object", properties: Object.fromEntries(parameters), required: ["region"] };
  const tools = Array.from({ length: count }, (_, n) => {
    return { name: `part_${n}_list`, description: `Lists the parts of store ${n} with their places.`, inputSchema };
  });
  return entryOf("made", stubLaunch({ tools }));
}

/** As a session would declare them, were they all declared. */
async function toolsOf(entries: readonly ServerEntry[], { folder }: ServerPlace): Promise<readonly CatalogueTool[]> {
  const env = { PATH: process.env.PATH, HOME: folder };
  const servers = createServers({ entries, clock: systemClock, env, onNote: () => {} });
  try {
    await servers.settled(startMsMax);
    const down = servers.now().flatMap(({ name, status }) => (status.type === "ready" ? [] : [name]));
    check(down.length === 0, `did not start: ${down.join(", ")}`);
    return catalogueOf(servers.now()).tools;
  } finally {
    await servers.close();
  }
}

async function allReady(session: OpenSession): Promise<void> {
  const until = performance.now() + startMsMax;
  for (;;) {
    const said = await session.command("/mcp");
    const text = "text" in said ? said.text : "";
    if (text !== "" && !/^\S+ +(?:starting|down)/m.test(text)) return;
    check(performance.now() < until, `servers did not start:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function shareText({ wire, simulation }: ServerPlace, tools: readonly CatalogueTool[]): Promise<string> {
  const count = await exactCounter();
  const sum = (texts: readonly string[]) => texts.reduce((total, text) => total + count(text), 0);
  const shown = cut(wire, simulation.requests()[0]?.body ?? "");
  const declared = shown.flatMap(({ kind, text }) => (kind === "tool" ? [text] : []));
  const blocks = shown.flatMap(({ role, text }) =>
    role === "user" && text.includes('The MCP server "') ? [text] : [],
  );
  const all = sum(
    tools.map(({ declaration: { name, description, inputSchema } }) =>
      JSON.stringify({ name, description, inputSchema }),
    ),
  );
  const isOwn = (text: string) => /"name":"(?:ToolSearch|CallTool|Resource)"/.test(text);
  const held = sum(declared.filter(isOwn)) + sum(blocks);
  const others = sum(declared.filter((text) => !isOwn(text)));
  const percent = (tokens: number) => `${tokens} (${((100 * tokens) / all).toFixed(1)} %)`;
  check(
    held <= shareMax * all,
    `the first request holds ${held} tokens for servers' tools, declaring all costs ${all}`,
  );
  return `${tools.length} tools; declaring all ${all} tokens, in the first request ${percent(held)}, with all other tools ${percent(held + others)}`;
}

async function useIn(session: OpenSession, place: ServerPlace, { name, finds, asks }: ServerProgram): Promise<void> {
  for (const [words, tool] of Object.entries(finds)) {
    await session.prompt(tell(call("ToolSearch", { query: words }), { text: "Seen." }));
    check(
      lastResult(place).includes(`mcp__${name}__${tool}`),
      `"${words}" does not find ${tool}: ${lastResult(place)}`,
    );
  }
  const use = call(`mcp__${name}__${asks.tool}`, asks.input);
  await session.prompt(
    tell(call("ToolSearch", { query: `select:mcp__${name}__${asks.tool}` }), use, { text: "Seen." }),
  );
  check(asks.says.test(lastResult(place)), `${name}: ${asks.tool} said ${lastResult(place)}`);
}
