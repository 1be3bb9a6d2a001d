import { bounds } from "../kernel/bounds.ts";
import type { ServerLimits } from "../ports/servers.ts";
import { absolutePath } from "./path.ts";
import { type Fields, fieldsOf } from "./server-fields.ts";
import type { ServerEntry, ServerLaunch, ServerScope } from "./server-settings.ts";
import { type Environment, withVariables } from "./server-variables.ts";

export type ServersSource = {
  readonly file: string;
  readonly scope: ServerScope;
  /** `foreign`: for other programs too, so that fields we do not know are no mistakes. */
  readonly written: "ours" | "foreign";
  /** Where a server runs whose entry names no folder, and where a relative one begins. */
  readonly cwd: string;
  readonly env: Environment;
};

type EntryRead = {
  readonly entry: ServerEntry;
  readonly use: "on" | "disabled";
  /** Each begins with its field. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
};

/** One entry of `mcpServers`. Where anything of it cannot be read it is not started: half of its limits would be none. */
export function entryIn(name: string, value: Readonly<Record<string, unknown>>, source: ServersSource): EntryRead {
  const fields = fieldsOf(value);
  const launch = launchIn(fields, source);
  const limits = limitsIn(fields);
  const isDisabled = fields.flag("disabled") ?? false;
  if (fields.has("headersHelper"))
    fields.wrong("headersHelper", "programs for headers are not run here; write headers, a key as a variable");
  if (source.written === "ours")
    for (const key of Object.keys(value).filter((one) => !knownFields.has(one)))
      fields.warn(key, "not known here, has no effect");
  const [fault] = fields.faults;
  return {
    entry: {
      ...{ name, source: source.file, scope: source.scope, limits },
      launch: fault === undefined ? launch : null,
      off:
        fault === undefined
          ? launch?.type === "stdio" && isGateway(launch)
            ? ownGateway
            : null
          : `its entry cannot be read: ${fault}`,
    },
    use: isDisabled ? "disabled" : "on",
    faults: fields.faults,
    warnings: fields.warnings,
  };
}

const ownGateway = "it is Varve itself, for other programs";

/** As `varve init --gateway` writes it. */
function isGateway({ command, args }: Extract<ServerLaunch, { readonly type: "stdio" }>): boolean {
  return /(?:^|\/)varve$/.test(command) && args[0] === "mcp";
}

const listsOfTools = {
  allowed: ["allowedTools", "includeTools"],
  denied: ["deniedTools", "excludeTools", "disabledTools"],
} as const;

const knownFields: ReadonlySet<string> = new Set([
  ...["type", "command", "args", "env", "cwd", "url", "headers", "headersHelper"],
  ...["timeout", "alwaysLoad", "oauth", "disabled", "resultTokens", "description"],
  ...listsOfTools.allowed,
  ...listsOfTools.denied,
]);

function limitsIn(fields: Fields): ServerLimits {
  const of = (names: readonly string[]): readonly string[] => names.flatMap((name) => fields.texts(name) ?? []);
  const isLimited = listsOfTools.allowed.some((name) => fields.has(name));
  return {
    callMs: fields.count("timeout", bounds.serverCallMsMax) ?? bounds.serverCallMsDefault,
    resultTokens: fields.count("resultTokens", bounds.serverResultTokensMax) ?? null,
    allowed: isLimited ? of(listsOfTools.allowed) : null,
    denied: of(listsOfTools.denied),
    alwaysLoad: fields.flag("alwaysLoad") ?? false,
  };
}

/** As people write them: `streamable-http`, `streamableHttp` and `http` are one. */
const transports: Readonly<Record<string, "stdio" | "http" | { readonly why: string }>> = {
  stdio: "stdio",
  http: "http",
  streamablehttp: "http",
  sse: { why: "sse, the older way over HTTP, is not supported; most servers take http at the same address or at /mcp" },
  ws: { why: "ws is not supported yet; expected stdio or http" },
};

function launchIn(fields: Fields, source: ServersSource): ServerLaunch | null {
  const type = transportIn(fields);
  if (type === null) return null;
  const expand = (field: string, text: string): string =>
    withVariables(text, source.env, (form) => fields.warn(field, `${form} is not set and stays as it is written`));
  return type === "stdio" ? programIn(fields, expand, source.cwd) : addressIn(fields, expand);
}

function transportIn(fields: Fields): ServerLaunch["type"] | null {
  const named = fields.text("type");
  if (named !== undefined) {
    const key = named.toLowerCase().replaceAll(/[-_ ]/g, "");
    const found = Object.hasOwn(transports, key) ? transports[key] : undefined;
    if (found === "stdio" || found === "http") return found;
    fields.wrong("type", found?.why ?? "expected stdio or http");
    return null;
  }
  const [command, url] = [fields.has("command"), fields.has("url")];
  if (fields.has("type")) return null;
  if (command !== url) return command ? "stdio" : "http";
  if (command) fields.wrong("type", "expected stdio or http, for it has both a command and a url");
  else fields.wrong("command", "expected a program to start, or url and an address");
  return null;
}

type Expand = (field: string, text: string) => string;

function programIn(fields: Fields, expand: Expand, from: string): ServerLaunch {
  const command = expand("command", fields.text("command") ?? "");
  if (command.trim() === "") missing(fields, "command", "a program to start");
  const cwd = fields.text("cwd");
  return {
    type: "stdio",
    command,
    args: (fields.texts("args") ?? []).map((text, at) => expand(`args[${at}]`, text)),
    env: expanded(fields, "env", expand, isVariable),
    cwd: cwd === undefined ? from : absolutePath(from, expand("cwd", cwd)),
  };
}

function addressIn(fields: Fields, expand: Expand): ServerLaunch {
  const url = expand("url", fields.text("url") ?? "");
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) missing(fields, "url", "an http or https address");
  else if (parsed.username !== "" || parsed.password !== "")
    fields.wrong("url", "names and passwords do not belong into it; write headers, a key as a variable");
  return { type: "http", url, headers: expanded(fields, "headers", expand, isHeader) };
}

/** What is of another type was told of already. */
function missing(fields: Fields, field: string, what: string): void {
  if (!fields.faults.some((fault) => fault.startsWith(`${field}: `))) fields.wrong(field, `expected ${what}`);
}

function expanded(
  fields: Fields,
  field: string,
  expand: Expand,
  isRight: (name: string, value: string) => boolean,
): Readonly<Record<string, string>> {
  const all = [...(fields.named(field) ?? [])].map(
    ([name, text]) => [name, expand(`${field}.${name}`, text).trim()] as const,
  );
  for (const [name, value] of all)
    if (!isRight(name, value)) fields.wrong(`${field}.${name}`, "its name or value holds what cannot stand there");
  return Object.fromEntries(all);
}

function isVariable(name: string): boolean {
  return name !== "" && !/[=\0]/.test(name);
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
