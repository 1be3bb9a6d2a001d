import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";

/**
 * Why a request has no result. `gone`: there is nobody any more to ask; `forgotten`: it knows nothing of our session, and did
 * nothing; `final`: asking again will not help.
 */
export type ServerFault = {
  readonly type: "refused" | "gone" | "forgotten" | "final" | "broken";
  /** A sentence whose subject is the server. */
  readonly why: string;
};

/** An error for a program that cannot be started at all (`final`), or ended before it answered. */
export function notStarted(type: "gone" | "final", why: string): Error {
  return Object.assign(new Error(why), { notStarted: type });
}

/** Whether that is why it is not there: `notStarted` of one that ran. */
export function endedItself(error: unknown): boolean {
  return isRecord(error) && error.notStarted === "gone";
}

/** Of whatever the SDK throws: its classes are told by their members, so that they need not be loaded. */
export function faultOf(error: unknown): ServerFault {
  const chain = chainOf(error);
  const words = wordsOf(chain.at(-1) ?? error);
  const type = isRecord(error) ? error.notStarted : undefined;
  if (type === "gone" || type === "final") return { type, why: words };
  const status = chain.map(statusOf).find((found) => found !== null) ?? null;
  if (status === 401) return { type: "final", why: "needs authorisation (HTTP 401); give it in `headers`" };
  if (status === 403) return { type: "final", why: "does not allow it (HTTP 403)" };
  if (status !== null) {
    return { type: ofStatus(status), why: `answered HTTP ${status}: ${words}` };
  }
  const code = isRecord(error) ? error.code : undefined;
  if (typeof code === "number") return { type: "refused", why: `answered with an error (${code}): ${words}` };
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") return { type: "gone", why: "closed the connection" };
  // `fetch` says only that it failed; its cause says why.
  const isNetwork = chain.some((one) => one instanceof TypeError && one.message === "fetch failed");
  return isNetwork ? { type: "gone", why: `cannot be reached: ${words}` } : { type: "broken", why: `failed: ${words}` };
}

function ofStatus(status: number): ServerFault["type"] {
  if (status === 404) return "forgotten";
  return status >= 500 ? "gone" : "broken";
}

function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one = error; one instanceof Error && chain.length < causesMax; one = one.cause) chain.push(one);
  return chain;
}

const causesMax = 5;

function statusOf(error: unknown): number | null {
  if (!isRecord(error) || !isRecord(error.data)) return null;
  return typeof error.data.status === "number" ? error.data.status : null;
}

function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, bounds.errorCharsMax).toWellFormed().trim();
}
