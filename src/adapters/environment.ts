import { homedir, userInfo } from "node:os";
import { join } from "node:path";

/** Where sessions are kept when nobody says otherwise. */
export function defaultHome(): string {
  return join(homedir(), ".varve");
}

/** The user's home folder, as `~/` in rules means it. */
export function userHome(): string {
  return homedir();
}

/** The parent's whole environment; `nodeShell` decides what children see of it. */
export function parentEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Says who holds a session, for whoever finds it busy. */
export function processOwner(): string {
  return `process ${process.pid} of ${userInfo().username}`;
}
