/**
 * What children may see of the parent's environment (CASES C-127): all but what looks like a secret, by its name or by
 * a password inside an address, and but what makes bash run other code first or changes how it reads the script.
 */
export function childEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isSecretName(name) && !steersBash(name) && !holdsPassword(value)) kept[name] = value;
  }
  return kept;
}

/** Whole words between underscores, so that `KEYBOARD` and `MONKEY` stay; word ends for camel case (`_authToken`). */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (harmless.has(upper)) return false;
  return upper.split(/[^A-Z0-9]+/).some((word) => secretWords.has(word) || secretParts.test(word));
}

const harmless: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK"]);
const secretWords: ReadonlySet<string> = new Set(["KEY", "KEYS", "AUTH", "PASS", "PWD", "PAT", "PIN", "COOKIE", "JWT"]);
const secretParts = /TOKENS?$|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|ACCESSKEY|PRIVATEKEY/;

function steersBash(name: string): boolean {
  return (
    name === "BASH_ENV" ||
    name === "ENV" ||
    name === "SHELLOPTS" ||
    name === "BASHOPTS" ||
    name.startsWith("BASH_FUNC_")
  );
}

/** `postgres://user:password@host`. */
function holdsPassword(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i.test(value);
}
