import type { Web } from "../tools/web-fetch.ts";
import { nodeHttp } from "./http.ts";
import { readablePage } from "./readable.ts";

/** The web as the machine reaches it: public hosts, and the private ones that are named. */
export function nodeWeb(privateHosts: readonly string[]): Web {
  return { http: nodeHttp(), readable: readablePage, privateHosts };
}
