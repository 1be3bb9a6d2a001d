import { isSecretName } from "../secrets/secret-name.ts";

type Written = Readonly<Record<string, unknown>>;

/** What an entry does, in a line for people: the program or address as written, and the names of what is handed to it. */
export function doesOf(entry: Written): string {
  const given = [...(isProgram(entry) ? textsIn(entry.env) : textsIn(entry.headers))].map(([name]) => name);
  return given.length === 0 ? whatOf(entry) : `${whatOf(entry)}, with ${given.join(", ")}`;
}

/**
 * All that an entry does, line by line, for whoever is asked to approve it: values too, for a variable may change what a program
 * does, and a header may send away what another variable holds. Only a key that stands there itself is not shown.
 */
export function freesOf(entry: Written): readonly string[] {
  const { cwd, env, headers } = entry;
  if (!isProgram(entry))
    return [whatOf(entry), ...textsIn(headers).map(([name, value]) => `sends ${name}: ${literal(value)}`)];
  const folder = typeof cwd === "string" ? [`in the folder ${cwd}`] : [];
  const set = textsIn(env).map(([name, value]) => `with ${name}=${isSecretName(name) ? literal(value) : value}`);
  return [whatOf(entry), ...folder, ...set];
}

function whatOf(entry: Written): string {
  const { command, args, url } = entry;
  if (!isProgram(entry)) return `connects to ${String(url)}`;
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  return `starts ${words.map(asWord).join(" ")}`;
}

/** Where both are named, its type says which. */
function isProgram({ command, type }: Written): boolean {
  return typeof command === "string" && (type === undefined || type === null || String(type).toLowerCase() === "stdio");
}

function literal(value: string): string {
  return value.includes("${") ? value : "(a value that is not shown)";
}

function textsIn(value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, text]): readonly (readonly [string, string])[] =>
    typeof text === "string" ? [[name, text]] : [],
  );
}

function asWord(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
