import { systemClock } from "../adapters/clock.ts";
import { createServers } from "../adapters/mcp-servers.ts";
import { findServers } from "../adapters/server-files.ts";
import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { canonicalJson } from "../kernel/canonical.ts";
import { catalogueOf } from "../mcp/catalogue.ts";
import type { ServerResource, ServerState, Servers } from "../ports/servers.ts";
import { type ServerEntry, type ServerStanding, standingEntry } from "../workspace/server-settings.ts";
import { CommandError, exitCodes } from "./exit.ts";
import { viewHome } from "./home.ts";
import { serverNamed, serversMask, serversPlace, type TrustFlags } from "./mcp-place.ts";
import { homeOf } from "./settings.ts";
import { endingInLine, printable, say } from "./terminal.ts";

type TestFlags = TrustFlags & { readonly json?: boolean };

/** `varve mcp test`: starts one server as a session would, and says what it offers or why it does not work. */
export async function runMcpTest(name: string, flags: TestFlags): Promise<number> {
  const place = serversPlace(await viewHome(homeOf(process.env), process.cwd()), flags);
  const entry = startable(await serverNamed(place, name));
  const mask = serversMask(await findServers(place));
  const onNote = (text: string) => say(`varve: ${text}`);
  const begun = systemClock.now();
  const servers = createServers({ entries: [entry], clock: systemClock, env: process.env, mask, onNote });
  try {
    const tested = await testedIn(servers, begun);
    const text = flags.json === true ? JSON.stringify(tested) : textOf(tested);
    process.stdout.write(endingInLine(printable(mask.text(text))));
    return tested.state === "ready" ? exitCodes.done : exitCodes.failed;
  } finally {
    await servers.close();
  }
}

/** One that is disabled may be tried; one that came with the project and was not approved may not. */
function startable(standing: ServerStanding): ServerEntry {
  const entry = standingEntry({ ...standing, chosen: "on" });
  if (entry.off !== null) throw new CommandError(`${entry.name} is not started: ${entry.off}`);
  return entry;
}

type Tested = {
  readonly name: string;
  readonly state: ServerState["status"]["type"];
  readonly why: string | null;
  readonly ms: number;
  /** Of all definitions together. */
  readonly definitionTokens: number;
  readonly tools: readonly {
    readonly name: string;
    readonly calledAs: string;
    readonly description: string;
    readonly tokens: number;
  }[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly instructions: string | null;
  readonly warnings: readonly string[];
};

async function testedIn(servers: Servers, begun: number): Promise<Tested> {
  await servers.settled(bounds.serverStartMsMax + graceMs);
  const ms = systemClock.now() - begun;
  const [server] = servers.now();
  if (server === undefined) throw new Error("a server that was started is known");
  const { status, prompts } = server;
  const { tools, warnings } = catalogueOf([server]);
  const found = await resourcesOf(servers, server);
  const listed = tools.map(({ tool, name, declaration }) => {
    const { description } = declaration;
    return { name: tool, calledAs: name, description, tokens: estimate(canonicalJson({ ...declaration })) };
  });
  return {
    ...{
      name: server.name,
      state: status.type,
      why: whyOf(status),
      ms,
      tools: listed,
      instructions: server.instructions,
    },
    definitionTokens: listed.reduce((sum, { tokens }) => sum + tokens, 0),
    prompts: prompts.map((prompt) => prompt.name),
    resources: typeof found === "string" ? [] : found.map(({ uri }) => uri),
    warnings: [...warnings.map(({ text }) => text), ...(typeof found === "string" ? [found] : [])],
  };
}

/** For the end of what runs on its own limit. */
const graceMs = 1_000;

function whyOf(status: ServerState["status"]): string | null {
  if (status.type === "starting") return `it is still starting after ${bounds.serverStartMsMax / 1000} s`;
  return status.type === "ready" ? null : status.why;
}

async function resourcesOf(servers: Servers, server: ServerState): Promise<readonly ServerResource[] | string> {
  if (server.status.type !== "ready" || !server.hasResources) return [];
  return await servers.resources(server.name, AbortSignal.timeout(bounds.serverStartMsMax));
}

function textOf({ name, state, why, ms, tools, definitionTokens, prompts, resources, ...rest }: Tested): string {
  if (state !== "ready") return `${name}: ${state}: ${why}`;
  const list = (what: string, some: readonly string[]) =>
    some.length === 0 ? [] : [`${some.length} ${what}: ${some.slice(0, namesMax).join(", ")}${more(some.length)}`];
  return [
    `${name}: ready after ${ms} ms`,
    `${tools.length} tools, whose definitions would take about ${definitionTokens} tokens:`,
    ...tools.map((tool) => `  ${tool.name}  ${tool.tokens}  ${firstLine(tool.description)}`),
    ...list("resources and templates", resources),
    ...list("prompts", prompts),
    ...(rest.instructions === null ? [] : [`instructions: ${firstLine(rest.instructions)}`]),
    ...rest.warnings.map((warning) => `warning: ${warning}`),
  ].join("\n");
}

const namesMax = 20;

function more(count: number): string {
  return count > namesMax ? `, and ${count - namesMax} more` : "";
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
