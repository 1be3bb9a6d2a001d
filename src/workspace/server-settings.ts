import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, isRecord, type Json } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { type JsonNode, JsonSpanError, memberOf, scanJson } from "../kernel/json-spans.ts";
import type { ServerLimits } from "../ports/servers.ts";
import { absolutePath } from "./path.ts";
import { type Environment, withVariables } from "./server-variables.ts";

/** How a server is reached. */
export type ServerLaunch =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Set for it beside a clean environment. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly type: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Whose a server is: `given` by whoever uses the library. The strongest comes first. */
export type ServerScope = (typeof serverScopes)[number];
export const serverScopes = ["given", "local", "project", "user"] as const;

export type ServerEntry = {
  /** Its key: the alias by which tools are named. */
  readonly name: string;
  /** Its file, for people. */
  readonly source: string;
  readonly scope: ServerScope;
  /** null: its entry cannot be read, and `off` says why. */
  readonly launch: ServerLaunch | null;
  readonly limits: ServerLimits;
  /** Why it is not started: disabled, not approved, not readable; null: it is. */
  readonly off: string | null;
};

/** `faults`: entries and files that do not work; `warnings`: what of the others has no effect. */
export type ServerSettings = {
  readonly entries: readonly ServerEntry[];
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
};
