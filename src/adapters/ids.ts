import { randomInt } from "node:crypto";
import { brand } from "../kernel/ids.ts";
import type { Clock, Ids } from "../ports/world.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Random ids; a session's begins with its time, so that folders sort by age. */
export function randomIds(clock: Clock): Ids {
  const token = (length: number) => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
  return {
    session: () => brand(`${stamp(clock.now())}-${token(8)}`),
    request: () => brand(`req_${token(16)}`),
    token,
    random: () => randomInt(2 ** 32) / 2 ** 32,
  };
}

/** `20261129-101500`, in UTC. */
function stamp(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 10).replaceAll("-", "")}-${iso.slice(11, 19).replaceAll(":", "")}`;
}
