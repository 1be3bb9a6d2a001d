import { bounds } from "../kernel/bounds.ts";
import { isSecretName, passwordIn } from "./secret-name.ts";

/** A text that must not leave, and what stands for it: `[secret: NAME]`. */
export type SecretValue = { readonly name: string; readonly value: string };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The secrets of an environment: values of variables that are named like one, passwords inside addresses, and the
 * provider's keys wherever they came from. What is too short or too common to be told from other text is none.
 */
export function secretValues(env: Env, providerKeys: readonly string[]): readonly SecretValue[] {
  const found = new Map<string, string>();
  const add = (name: string, value: string | null): void => {
    if (value !== null && !found.has(value)) found.set(value, labelOf(name));
  };
  for (const key of providerKeys) {
    const named = Object.keys(env).find((name) => env[name] === key);
    if (isTelling(key)) add(named ?? "provider key", key);
  }
  for (const [name, value = ""] of Object.entries(env)) {
    const password = passwordIn(value);
    if (password !== null && isTelling(password)) add(name, password);
    if (isSecretName(name) && isTelling(value)) add(name, value);
  }
  const labels = [...found.values()].map((name) => `[secret: ${name}]`);
  return [...found]
    .filter(([value]) => !labels.some((label) => label.includes(value)))
    .slice(0, bounds.secretsMax)
    .map(([value, name]) => ({ name, value }));
}

/** A name may hold anything; between the brackets of a mask it must not end it. */
function labelOf(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, name === "provider key" ? " " : "_").slice(0, 64);
}

function isTelling(value: string): boolean {
  const { length } = value.trim();
  if (length < bounds.secretCharsMin || value.length > bounds.secretCharsMax) return false;
  return !isCommon(value.trim());
}

/** Numbers, switches, addresses, paths and single words: masking them would only make other text unreadable. */
function isCommon(value: string): boolean {
  if (/^[\d.,:+-]*$/.test(value) || new Set(value).size < 4) return true;
  if (/^[A-Za-z]+$/.test(value) && value.length < wordCharsMax) return true;
  if (commonValues.has(value.toLowerCase())) return true;
  return isPath(value) || (/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value) && passwordIn(value) === null);
}

const wordCharsMax = 16;
const commonValues: ReadonlySet<string> = new Set(["change-me", "change_me", "password1", "password123", "passw0rd"]);

/** One or several paths. A key may hold slashes too: a part that mixes letters of both cases with digits is no name. */
function isPath(value: string): boolean {
  if (!/^(?:[~.]{0,2}\/|[A-Za-z]:\\)/.test(value)) return false;
  return !value
    .split(/[/\\:]/)
    .some((part) => part.length >= 16 && /[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part));
}
