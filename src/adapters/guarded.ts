import { createMask, type Mask } from "../secrets/mask.ts";
import { type SecretValue, secretValues } from "../secrets/secret-values.ts";
import type { Guards } from "../workspace/guards.ts";
import type { Call, Decision } from "../workspace/permission.ts";
import { keyFolders, openSandbox, type Sandbox } from "./sandbox.ts";

/** What stands between a session's commands and the rest of the machine. */
export type Guarded = {
  readonly guards: Guards;
  readonly mask: Mask;
  /** The provider's keys in use: no child's variable carries one. */
  readonly hidden: readonly string[];
  readonly sandbox: Sandbox | null;
  /** What the user should know: that there is no sandbox where one was wished for. */
  readonly warnings: readonly string[];
};

export type Guarding =
  | { readonly type: "guarded"; readonly guarded: Guarded }
  | { readonly type: "refused"; readonly why: string };

/** `keys`: what opens the services in use, wherever it came from; `handed`: what MCP servers get. `home`: where sessions are kept. */
export async function guardSession(given: {
  readonly guards: Guards;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly keys: readonly string[];
  readonly handed?: readonly SecretValue[];
  readonly roots: readonly string[];
  readonly home: string;
}): Promise<Guarding> {
  const { guards, env, keys, handed = [], roots, home } = given;
  const values = [...secretValues({ ...env, ...guards.env.set }, keys), ...handed];
  const mask = createMask({ values, shapes: guards.redact === "on" ? "masked" : "shown" });
  const hidden = values.filter(({ value }) => keys.includes(value)).map(({ value }) => value);
  const guarded = { guards, mask, hidden, sandbox: null, warnings: [] };
  if (guards.sandbox === "off") return { type: "guarded", guarded };
  const network = guards.sandboxNetwork;
  const found = await openSandbox({ roots, hidden: [home, ...keyFolders()], network });
  if (found.type === "found") return { type: "guarded", guarded: { ...guarded, sandbox: found.sandbox } };
  if (guards.sandbox === "on") return { type: "refused", why: `sandbox: ${found.why}` };
  return { type: "guarded", guarded: { ...guarded, warnings: [`commands run without a sandbox: ${found.why}`] } };
}

/** What of it the shell keeps to. */
export function shellOptions({ guards, mask, hidden, sandbox }: Guarded) {
  return { childEnv: guards.env, mask, hidden, ...(sandbox === null ? {} : { confine: sandbox.confine }) };
}

/** A command that can do no harm outside need not be asked for, where the user said so. A rule that asks or refuses stands. */
export function freedBySandbox(decision: Decision, call: Call, guarded: Guarded): Decision {
  const { guards, sandbox } = guarded;
  const isFreed = sandbox !== null && guards.sandboxAutoAllow && call.access.type === "command";
  if (!isFreed || decision.type !== "ask" || decision.by !== "mode") return decision;
  return { ...decision, type: "allow", why: `${decision.why}; allowed in the sandbox (sandboxAutoAllow)` };
}
