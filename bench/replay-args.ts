import type { Tokenizer } from "../src/replay/count.ts";
import { ownData } from "./data-args.ts";

export type ReplayOptions = {
  readonly data: string;
  /** null: all of them. */
  readonly strategies: readonly string[] | null;
  readonly read: number;
  readonly tokens: Tokenizer;
  readonly lifetimes: Lifetimes;
  /** Of the run whose costs and trace are given; `h32k` is head + 32k. Overflows are counted in both. */
  readonly window: "200k" | "h32k";
  readonly trace: string | null;
  readonly json: boolean;
};

export type Lifetimes = "5m" | "1h" | "off";

type Parsed =
  | { readonly type: "options"; readonly options: ReplayOptions }
  | { readonly type: "wrong"; readonly why: string };

export function replayArgs(args: readonly string[], names: readonly string[]): Parsed {
  const values = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const [flag = "", inline] = splitFlag(args[at] ?? "");
    const allowed = flags[flag];
    if (allowed === undefined) return wrong(`${flag}: expected one of ${Object.keys(flags).join(", ")}`);
    if (allowed === "none") {
      if (inline !== undefined) return wrong(`${flag} takes no value`);
      values.set(flag, "");
      continue;
    }
    const value = inline ?? args[++at];
    if (value === undefined || value === "" || value.startsWith("--")) return wrong(`${flag} needs a value`);
    if (allowed !== "any" && !allowed.includes(value)) {
      return wrong(`${flag}: expected ${allowed.join(", ")}; got "${value}"`);
    }
    values.set(flag, value);
  }
  const strategies = values.get("--strategy")?.split(",") ?? null;
  const unknown = strategies?.find((name) => !names.includes(name));
  if (unknown !== undefined) return wrong(`--strategy: expected some of ${names.join(", ")}; got "${unknown}"`);
  return { type: "options", options: optionsOf(values, strategies) };
}

const flags: Readonly<Record<string, readonly string[] | "any" | "none">> = {
  "--data": "any",
  "--strategy": "any",
  "--read": ["0.1", "0.05", "0.025"],
  "--tokens": ["o200k", "chars4"],
  "--lifetimes": ["5m", "1h", "off"],
  "--window": ["200k", "h32k"],
  "--trace": "any",
  "--json": "none",
};

/** `--flag value` and `--flag=value`. */
function splitFlag(arg: string): readonly [flag: string, value: string | undefined] {
  const at = arg.indexOf("=");
  return arg.startsWith("--") && at > 0 ? [arg.slice(0, at), arg.slice(at + 1)] : [arg, undefined];
}

function optionsOf(values: ReadonlyMap<string, string>, strategies: readonly string[] | null): ReplayOptions {
  const lifetimes = values.get("--lifetimes");
  return {
    data: values.get("--data") ?? ownData,
    strategies,
    read: Number(values.get("--read") ?? "0.1"),
    tokens: values.get("--tokens") === "chars4" ? "chars4" : "o200k",
    lifetimes: lifetimes === "1h" || lifetimes === "off" ? lifetimes : "5m",
    window: values.get("--window") === "h32k" ? "h32k" : "200k",
    trace: values.get("--trace") ?? null,
    json: values.has("--json"),
  };
}

function wrong(why: string): Parsed {
  return { type: "wrong", why };
}
