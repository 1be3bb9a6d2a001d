import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Endpoint } from "../adapters/model-route.ts";
import type { Reductions } from "../agent/reductions.ts";
import { type MemoryPolicy, memoryPolicies, type WindowSettings } from "../budget/window.ts";
import { own } from "../kernel/own.ts";
import { type Wire, wires } from "../kernel/usage.ts";
import type { Effort, ModelChoice, PermissionMode, Verbosity } from "../log/entry.ts";
import type { ListedModel } from "../provider/listed-model.ts";
import { usualModel } from "../provider/usual-model.ts";
import { NoKeyError, NoModelError, UsageError } from "./exit.ts";

/** What the command line and the environment say, checked; nothing here reads a file. */
export type Flags = {
  readonly model?: string;
  readonly wire?: string;
  readonly baseUrl?: string;
  readonly effort?: string;
  readonly verbosity?: string;
  readonly window?: string;
  readonly memory?: string;
  readonly permissionMode?: string;
  readonly maxTurns?: string;
  readonly summaries?: string;
  readonly clearing?: string;
};

type Env = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Env): string {
  return env.VARVE_HOME === undefined || env.VARVE_HOME === "" ? join(homedir(), ".varve") : resolve(env.VARVE_HOME);
}

/**
 * `before`: the model of the session that is resumed; a flag or setting wins over it. `windows`: the user's, by model.
 * `listed`: what the provider lists of it, once it was asked.
 */
export function modelOf(
  flags: Flags,
  env: Env,
  before: ModelChoice | null,
  windows: Readonly<Record<string, WindowSettings>>,
  listed: ListedModel | null = null,
): ModelChoice {
  const named = modelNamed(flags, env)?.value;
  const effort = flags.effort === undefined ? null : oneOf("--effort", efforts, flags.effort);
  const wire = flags.wire === undefined ? undefined : oneOf("--wire", wires, flags.wire);
  if (named === undefined && before !== null && (wire ?? before.wire) === before.wire)
    return effort === null ? before : { ...before, effort };
  const model = named ?? before?.model ?? defaultModel(env, wire);
  return { ...usualModel(model, wire, windowSettings(flags) ?? own(windows, model), listed), effort };
}

/** A value of the command line or the environment, and which of them says it. */
export type Said = { readonly value: string; readonly from: string };

/** The model that a flag or the environment names. */
export function modelNamed({ model }: Pick<Flags, "model">, env: Env): Said | null {
  return flagOrVariable(["--model", model], ["VARVE_MODEL", env.VARVE_MODEL]);
}

/** The provider's address, where it is not its usual one. */
export function baseUrlNamed(wire: Wire, { baseUrl }: Pick<Flags, "baseUrl">, env: Env): Said | null {
  const name = `${providerNames[wire]}_BASE_URL`;
  return flagOrVariable(["--base-url", baseUrl], [name, env[name]]);
}

type Named = readonly [name: string, value: string | undefined];

function flagOrVariable([flag, given]: Named, [variable, set]: Named): Said | null {
  if (given !== undefined) return { value: given, from: `flag ${flag}` };
  return set === undefined ? null : { value: set, from: `environment ${variable}` };
}

/** What `--window` says of the chosen model's window. */
export function windowSettings(flags: Flags): WindowSettings | undefined {
  const windowTokens = positive("--window", flags.window);
  return windowTokens === undefined ? undefined : { windowTokens };
}

/** How the chosen model's window is kept; left out, or `auto`: as models.json says, or as it suits the model. */
export function memoryIn({ memory = "auto" }: Pick<Flags, "memory">): MemoryPolicy | undefined {
  const chosen = oneOf("--memory", ["auto", ...memoryPolicies], memory);
  return chosen === "auto" ? undefined : chosen;
}

/** Beginnings of the variables that hold a provider's key and address. */
export const providerNames: Readonly<Record<Wire, string>> = {
  anthropic: "ANTHROPIC",
  chat: "OPENAI",
  responses: "OPENAI",
  gemini: "GEMINI",
};

export function endpointOf(wire: Wire, flags: Flags, env: Env): Endpoint {
  const name = providerNames[wire];
  const baseUrl = baseUrlNamed(wire, flags, env)?.value;
  // A server of one's own mostly wants no key; the SDKs want one all the same.
  const apiKey = env[`${name}_API_KEY`] ?? (baseUrl === undefined ? undefined : "none");
  if (apiKey === undefined || apiKey === "")
    throw new NoKeyError(noKey(`${name}_API_KEY`, guessedModel(wire, flags, env)));
  return baseUrl === undefined ? { apiKey } : { apiKey, baseUrl: urlOf(baseUrl) };
}

export function modeOf(flags: Flags): PermissionMode | undefined {
  return flags.permissionMode === undefined ? undefined : oneOf("--permission-mode", modes, flags.permissionMode);
}

export function verbosityOf(flags: Flags): Verbosity | undefined {
  return flags.verbosity === undefined
    ? undefined
    : oneOf<Verbosity>("--verbosity", ["low", "medium", "high"], flags.verbosity);
}

/** Who takes away what near the line; what no flag says stays usual. */
export function chosenReductions({ summaries, clearing }: Pick<Flags, "summaries" | "clearing">): Partial<Reductions> {
  return {
    ...(summaries === undefined ? {} : { summaries: oneOf("--summaries", ["model", "provider", "off"], summaries) }),
    ...(clearing === undefined ? {} : { clearing: clearings[oneOf("--clearing", clearingNames, clearing)] }),
  };
}

const clearings = { ours: "all", provider: "provider", off: "off" } as const;
const clearingNames = ["ours", "provider", "off"] as const;

export function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new UsageError(`${flag}: expected a whole number from 1 on, got "${text}"`);
  return n;
}

export function oneOf<T extends string>(flag: string, list: readonly T[], text: string): T {
  const found = list.find((one) => one === text);
  if (found === undefined) throw new UsageError(`${flag}: expected one of ${list.join(", ")}; got "${text}"`);
  return found;
}

const efforts: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];
const modes: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];

/** Only Anthropic has one: with another wire, or another provider's key alone, the user has to say. */
function defaultModel(env: Env, wire: Wire = "anthropic"): string {
  if (wire === "anthropic" && env.ANTHROPIC_API_KEY) return "claude-sonnet-5-5";
  const isOther = [env.OPENAI_API_KEY, env.OPENAI_BASE_URL, env.GEMINI_API_KEY, env.GEMINI_BASE_URL].some(Boolean);
  if (wire !== "anthropic" || isOther)
    throw new NoModelError("which model? Name one with --model or VARVE_MODEL: only Anthropic's API has a default");
  throw new NoKeyError(noKey("ANTHROPIC_API_KEY"));
}

function urlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new UsageError(`--base-url: expected an address such as http://127.0.0.1:11434/v1, got "${text}"`);
  return text;
}

/** A name that is not known is taken for one of an OpenAI-style service: a nickname or a slip of the pen then asks for its key. */
function guessedModel(wire: Wire, flags: Flags, env: Env): string | undefined {
  return wire === "chat" && flags.wire === undefined ? (flags.model ?? env.VARVE_MODEL) : undefined;
}

function noKey(name: string, guessed?: string): string {
  return [
    `no key: set ${name} (or name a server of your own with --base-url and --model).`,
    ...(guessed === undefined
      ? []
      : [
          `"${guessed}" is taken for a model of an OpenAI-style service; \`varve models\` lists the names that are known.`,
        ]),
    "Without either, `varve demo` shows a whole session against a simulated provider.",
  ].join("\n");
}
