import { type Refused, refused } from "../agent/refused.ts";
import type { Session, TurnResult } from "../agent/session.ts";
import { bounds } from "../kernel/bounds.ts";
import { toolName } from "../mcp/names.ts";
import { resultOf } from "../mcp/result.ts";
import type { ServerPrompt, Servers } from "../ports/servers.ts";
import { argumentWords } from "../workspace/arguments.ts";

/** Prompts of MCP servers as commands: `/mcp__server__prompt arguments`. */
export type PromptCalls = {
  list(): readonly { readonly name: string; readonly hint: string; readonly says: string }[];
  /** null: there is none of that name. */
  call(name: string, typed: string): Promise<TurnResult | Refused | null>;
};

export function promptCallsOf(session: Pick<Session, "call">, servers: Servers): PromptCalls {
  const all = () =>
    servers
      .now()
      .flatMap(({ name: server, prompts }) =>
        prompts.map((prompt) => ({ server, prompt, name: toolName(server, prompt.name) })),
      );
  return {
    list: () => all().map(({ name, prompt }) => ({ name, hint: hintOf(prompt), says: oneLine(prompt.description) })),
    async call(name, typed) {
      const listed = () => all().find((one) => one.name === name);
      // `varve -p "/mcp__..."` opens the session with this line: its servers may be starting still.
      if (listed() === undefined && name.startsWith("mcp__")) await servers.settled(bounds.serverSearchMsMax);
      const found = listed();
      if (found === undefined) return null;
      const { server, prompt } = found;
      const values = valuesOf(prompt, typed);
      if (typeof values === "string") return refused(`/${name} was not sent: ${values}`);
      const signal = new AbortController().signal;
      const answer = await servers.prompt({ server, prompt: prompt.name, arguments: values }, signal);
      const { ending, output } = resultOf(answer, { server, tool: prompt.name });
      if (ending !== "done") return refused(`/${name} was not sent: ${output}`);
      return await session.call({
        name,
        typed,
        source: `the MCP server "${server}"`,
        body: output,
        isFinal: true,
        argumentNames: [],
        variables: {},
        limits: { allowed: null, disallowed: [], grants: false },
      });
    },
  };
}

/** By position; the last argument takes all the words that are left. */
function valuesOf({ arguments: wanted }: ServerPrompt, typed: string): Readonly<Record<string, string>> | string {
  const words = argumentWords(typed);
  if (wanted.length === 0 && words.length > 0) return "it takes no arguments";
  const last = wanted.length - 1;
  const values = wanted.flatMap(({ name }, at): readonly (readonly [string, string])[] => {
    const own = at === last ? words.slice(at) : words.slice(at, at + 1);
    return own.length === 0 ? [] : [[name, own.join(" ")]];
  });
  const missing = wanted.filter(({ name, required }) => required && !values.some(([given]) => given === name));
  if (missing.length > 0) return `it needs ${missing.map(({ name }) => name).join(", ")}`;
  return Object.fromEntries(values);
}

function hintOf({ arguments: wanted }: ServerPrompt): string {
  return wanted.map(({ name, required }) => (required ? `<${oneLine(name)}>` : `[${oneLine(name)}]`)).join(" ");
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 200)
    .toWellFormed();
}
