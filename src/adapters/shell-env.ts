import { isSecretName, passwordIn } from "../secrets/secret-name.ts";
import type { ChildEnv } from "../workspace/guards.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * What children may see of the parent's environment (CASES C-127): all but what looks like a secret, by its name or by
 * a password inside an address, and but what makes bash run other code first or changes how it reads the script (`CDPATH`: where `cd` goes).
 * `hidden`: values that no variable may carry, whatever its name. What the user passes or sets by name goes through;
 * why this is a list of what is left out, and not of what is let in, is decision 0017.
 */
export function childEnv(
  env: Env,
  { pass, set }: ChildEnv = nothingSaid,
  hidden: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || steersBash(name)) continue;
    if (pass.includes(name) || !(isSecretName(name) || passwordIn(value) !== null || holds(value, hidden))) {
      kept[name] = value;
    }
  }
  return { ...kept, ...set };
}

const nothingSaid: ChildEnv = { pass: [], set: {} };

function holds(value: string, hidden: readonly string[]): boolean {
  return hidden.some((secret) => value.includes(secret));
}

function steersBash(name: string): boolean {
  return (
    name === "BASH_ENV" ||
    name === "ENV" ||
    name === "SHELLOPTS" ||
    name === "BASHOPTS" ||
    name === "BASH_COMPAT" ||
    name === "POSIXLY_CORRECT" ||
    name === "CDPATH" ||
    name === "GLOBIGNORE" ||
    name.startsWith("BASH_FUNC_")
  );
}
