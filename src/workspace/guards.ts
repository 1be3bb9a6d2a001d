import type { Scope } from "./rule.ts";
import { strongest } from "./strongest.ts";

/** What a command's environment has beside what children see anyway. */
export type ChildEnv = { readonly pass: readonly string[]; readonly set: Readonly<Record<string, string>> };

export type SandboxMode = "off" | "auto" | "on";

/** What stands between commands and the rest of the machine. Only the user's own settings say something of it. */
export type Guards = {
  /** Whether what looks like a token is masked. Values of the environment always are. */
  readonly redact: "on" | "off";
  readonly env: ChildEnv;
  readonly sandbox: SandboxMode;
  readonly sandboxNetwork: "on" | "off";
  /** Whether a command in the sandbox may run where it would be asked for. */
  readonly sandboxAutoAllow: boolean;
  /** What becomes of what the model wants to remember: it waits for the user, or is kept at once. `off`: no memory is read or kept. */
  readonly memoryFiles: MemoryFilesMode;
};

export type MemoryFilesMode = "review" | "keep" | "off";

/** What one file says of them. */
export type FileGuards = Partial<Guards>;

export const usualGuards: Guards = {
  redact: "on",
  env: { pass: [], set: {} },
  sandbox: "off",
  sandboxNetwork: "off",
  sandboxAutoAllow: false,
  memoryFiles: "review",
};

/** The strongest first; of each value the first that is said holds. */
export function mergeGuards(files: readonly FileGuards[]): Guards {
  const first = <K extends keyof Guards>(key: K): Guards[K] =>
    strongest(files, (file) => file[key])?.value ?? usualGuards[key];
  return {
    redact: first("redact"),
    env: first("env"),
    sandbox: first("sandbox"),
    sandboxNetwork: first("sandboxNetwork"),
    sandboxAutoAllow: first("sandboxAutoAllow"),
    memoryFiles: first("memoryFiles"),
  };
}

type Fields = ReadonlyMap<string, unknown>;
type Source = { readonly file: string; readonly scope: Scope; readonly written: "ours" | "foreign" };
type Read = { readonly type: "ok"; readonly guards: FileGuards; readonly notes: readonly string[] };
type Bad = { readonly type: "bad"; readonly field: string; readonly why: string };

/** A project's file could switch off what protects from it, so what it says of these has no effect. */
export function guardsIn(top: Fields, { scope, written, file }: Source): Read | Bad {
  const said = written === "ours" ? guardKeys.filter((key) => top.has(key)) : [];
  if (scope === "project" || scope === "local") {
    const notes = said.map((key) => `${file}: ${key}: counts in your own settings only, has no effect here`);
    return { type: "ok", guards: {}, notes };
  }
  let guards: FileGuards = {};
  for (const key of said) {
    const value = top.get(key);
    const read = readers[key](value);
    if (typeof read === "string") return { type: "bad", field: key, why: read };
    guards = { ...guards, ...read };
  }
  return { type: "ok", guards, notes: [] };
}

const readers: { readonly [K in keyof Guards]: (value: unknown) => FileGuards | string } = {
  redact: (value) => (value === "on" || value === "off" ? { redact: value } : 'expected "on" or "off"'),
  sandbox: (value) => {
    const mode = sandboxModes.find((one) => one === value);
    return mode === undefined ? 'expected "off", "auto" or "on"' : { sandbox: mode };
  },
  sandboxNetwork: (value) => (value === "on" || value === "off" ? { sandboxNetwork: value } : 'expected "on" or "off"'),
  sandboxAutoAllow: (value) => (typeof value === "boolean" ? { sandboxAutoAllow: value } : "expected true or false"),
  memoryFiles: (value) => {
    const mode = memoryModes.find((one) => one === value);
    return mode === undefined ? 'expected "review", "keep" or "off"' : { memoryFiles: mode };
  },
  env: envOf,
};

export const sandboxModes: readonly SandboxMode[] = ["off", "auto", "on"];
const memoryModes: readonly MemoryFilesMode[] = ["review", "keep", "off"];
export const guardKeys: readonly (keyof Guards)[] = [
  "redact",
  "env",
  "sandbox",
  "sandboxNetwork",
  "sandboxAutoAllow",
  "memoryFiles",
];

function envOf(value: unknown): FileGuards | string {
  const shape = 'expected {"pass": ["NAME"], "set": {"NAME": "value"}}';
  if (!isObject(value) || Object.keys(value).some((key) => key !== "pass" && key !== "set")) return shape;
  const { pass = [], set = {} } = value;
  if (!Array.isArray(pass) || !isObject(set)) return shape;
  const names = pass.filter((name) => typeof name === "string");
  const values = Object.entries(set).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, text] as const] : [],
  );
  if (names.length !== pass.length || values.length !== Object.keys(set).length) return shape;
  const strange = [...names, ...values.map(([name]) => name)].find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (strange !== undefined) return `${JSON.stringify(strange)} is no name of a variable`;
  return { env: { pass: names, set: Object.fromEntries(values) } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
