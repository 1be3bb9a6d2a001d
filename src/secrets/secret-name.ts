/** Whole words between underscores, so that `KEYBOARD` and `MONKEY` stay; word ends for camel case (`_authToken`). */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (harmless.has(upper)) return false;
  return upper.split(/[^A-Z0-9]+/).some((word) => secretWords.has(word) || secretParts.test(word));
}

const harmless: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK"]);
const secretWords: ReadonlySet<string> = new Set([
  "KEY",
  "KEYS",
  "AUTH",
  "PASS",
  "PWD",
  "PAT",
  "PIN",
  "COOKIE",
  "JWT",
  "PRIVATE",
]);
const secretParts = /TOKENS?$|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|ACCESSKEY|PRIVATEKEY/;

/** The password of `postgres://user:password@host`, or null. */
export function passwordIn(address: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(address)?.[1] ?? null;
}
