import { type SecretValue, secretValues } from "../secrets/secret-values.ts";
import type { ServerEntry, ServerLaunch } from "./server-settings.ts";

/**
 * What is handed to servers and must not be saved, sent or shown: the values of their variables and headers, keys among their
 * arguments, passwords in addresses. What is too short or too common to be told from other text is none.
 */
export function serverSecrets(entries: readonly Pick<ServerEntry, "launch">[]): readonly SecretValue[] {
  const all = entries.flatMap(({ launch }) => (launch === null ? [] : secretsOf(launch))).filter(isFilledIn);
  return [...new Map(all.map((one) => [one.value, one])).values()];
}

/** A variable that is not set stays as it is written: its name is nothing to hide, and the word on it has to say it. */
function isFilledIn({ value }: SecretValue): boolean {
  return !/^\$\{(?:env:)?\w+\}$/.test(value);
}

function secretsOf(launch: ServerLaunch): readonly SecretValue[] {
  const given =
    launch.type === "stdio" ? launch.env : Object.fromEntries(Object.entries(launch.headers).map(withoutScheme));
  return [...secretValues(Object.fromEntries(spoken(launch)), []), ...secretValues(given, Object.values(given))];
}

type Named = readonly [name: string, value: string];

/** Of `Bearer abc` the secret is `abc`. */
function withoutScheme([name, value]: Named): Named {
  return [name, value.replace(/^(?:Bearer|Basic|Token)\s+/i, "")];
}

/** `--api-key=abc`, `--api-key abc`, `?api_key=abc`: named like a secret or not, that is for others to say. */
function spoken(launch: ServerLaunch): readonly Named[] {
  if (launch.type === "http") {
    const url = URL.parse(launch.url);
    return url === null ? [] : [["url", launch.url], ...url.searchParams];
  }
  return launch.args.flatMap((arg, at): readonly Named[] => {
    const [, name, value] = /^-*([\w.-]+)=(.*)$/s.exec(arg) ?? [];
    if (name !== undefined && value !== undefined) return [[name, value]];
    const before = launch.args[at - 1] ?? "";
    return [[before.startsWith("-") ? before.replace(/^-+/, "") : `argument ${at}`, arg]];
  });
}
