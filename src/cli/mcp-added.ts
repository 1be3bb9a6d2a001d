import type { Wanted } from "../workspace/json-members.ts";
import { parseServers } from "../workspace/server-file.ts";
import { serverSecrets } from "../workspace/server-secrets.ts";
import { UsageError } from "./exit.ts";

export type AddFlags = {
  readonly transport?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly scope?: string;
};

type Asked = {
  readonly name: string;
  /** A command and its arguments, or an address. */
  readonly operands: readonly string[];
  readonly flags: AddFlags;
  readonly file: string;
};

/** An entry as the command line names it. One that could not be read again is not written. */
export function addedEntry({ name, operands, flags, file }: Asked): {
  readonly entry: Wanted;
  readonly warnings: readonly string[];
} {
  const entry = isAddress(operands, flags) ? addressEntry(operands, flags) : programEntry(operands, flags);
  const source = { file, scope: "user", written: "ours", cwd: process.cwd() } as const;
  const text = JSON.stringify({ mcpServers: { [name]: entry } });
  const { faults, warnings } = parseServers(text, { ...source, env: process.env });
  if (faults[0] !== undefined) throw new UsageError(faults[0]);
  return { entry, warnings: [...warnings, ...sharedKeys(text, { ...source, env: {} }, flags)] };
}

function isAddress(operands: readonly string[], { transport }: AddFlags): boolean {
  if (transport !== undefined) return transport !== "stdio";
  return operands.length === 1 && /^https?:\/\//i.test(operands[0] ?? "");
}

function addressEntry([url, ...more]: readonly string[], { transport = "http", env, header = [] }: AddFlags): Wanted {
  if (url === undefined) throw new UsageError("an address is missing, as https://example.com/mcp");
  if (more.length > 0) throw new UsageError(`an address stands alone; what is "${more[0]}"?`);
  if (env !== undefined) throw new UsageError("--env is for a server that is started here; an address takes --header");
  const headers = named("--header", header, /^([^:=\s]+)\s*[:=]\s*(.*)$/s, "NAME=VALUE");
  return { type: transport, url, ...(header.length === 0 ? {} : { headers }) };
}

function programEntry([command, ...args]: readonly string[], { transport, env = [], header }: AddFlags): Wanted {
  if (command === undefined)
    throw new UsageError("what to start is missing: `varve mcp add NAME -- COMMAND ARGS...`, or an address");
  if (transport === undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(command))
    throw new UsageError(`"${command}" is no program, and only http and https addresses are supported`);
  if (header !== undefined)
    throw new UsageError("--header is for an address; a server that is started here takes --env");
  const variables = named("--env", env, /^([^=]+)=(.*)$/s, "NAME=VALUE");
  return { type: "stdio", command, args, ...(env.length === 0 ? {} : { env: variables }) };
}

function named(flag: string, texts: readonly string[], form: RegExp, expected: string): Wanted {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = form.exec(text) ?? [];
      // The text may be a key whose name was forgotten.
      if (name === undefined || value === undefined) throw new UsageError(`${flag}: expected ${expected}`);
      return [name, value];
    }),
  );
}

/** What is written into `.mcp.json` goes to everybody who has the project. */
function sharedKeys(text: string, source: Parameters<typeof parseServers>[1], { scope }: AddFlags): readonly string[] {
  if (scope !== "project") return [];
  const entries = parseServers(text, source).servers.map(({ entry }) => entry);
  const keys = serverSecrets(entries).filter(({ value }) => !value.includes("${"));
  return keys.map(
    ({ name }) =>
      `${source.file} is shared with the project, and ${name} stands in it; a variable, as \${NAME}, would not`,
  );
}
