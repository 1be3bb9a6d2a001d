import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import type { ServerAnswer, ServerAsked } from "../ports/servers.ts";
import type { Clock } from "../ports/world.ts";
import type { Connection } from "./mcp-connection.ts";
import { faultOf } from "./mcp-fault.ts";
import { limitOf, unlessAborted } from "./mcp-limit.ts";
import type { Requested } from "./mcp-request.ts";
import type { RunningServer } from "./mcp-server.ts";

export type NoAnswer = Exclude<ServerAnswer, { readonly type: "answer" }>;

type Ask<T> = (connection: Connection, requested: Requested) => Promise<T>;

/**
 * One request to a server, within its time. It ends when the server does, and when nobody wants it any more, at once; what
 * comes later is dropped. `callMs` is for the answer, not for a start that had to come first.
 */
export async function ask<T>(
  server: RunningServer,
  { clock, asked, title }: { readonly clock: Clock; readonly asked: ServerAsked; readonly title: string },
  request: Ask<T>,
): Promise<T | NoAnswer> {
  const { name, limits } = server.now();
  const subject = `The MCP server ${JSON.stringify(name)}`;
  for (let isAgain = false; ; isAgain = true) {
    const connection = await unlessAborted(server.connected(), asked.signal);
    if (connection === null) return interrupted(title);
    if (typeof connection === "string") return { type: "failed", why: `${subject} ${connection}.` };
    const limit = limitOf(clock, limits.callMs, asked.signal);
    try {
      return await request(connection, { signal: limit.signal, onProgress: progressOf(clock, asked) });
    } catch (error) {
      if (asked.signal.aborted) return interrupted(title);
      if (limit.isOver()) {
        return { type: "timed-out", why: `${subject} gave no answer within ${limits.callMs / 1_000} s.` };
      }
      const ended = connection.ended();
      const fault =
        ended === null ? faultOf(error) : { type: "gone" as const, why: `${ended}, before it had answered` };
      if (fault.type === "gone" || fault.type === "forgotten") server.lost(connection, fault.why);
      if (fault.type !== "forgotten" || isAgain) return { type: "failed", why: `${subject} ${fault.why}.` };
    } finally {
      limit.release();
    }
  }
}

function interrupted(title: string): NoAnswer {
  return { type: "interrupted", why: `${title} was interrupted.` };
}

/** A server may tell of progress as often as it likes. */
function progressOf(clock: Clock, { onProgress, signal }: ServerAsked): (progress: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const text = progressText(progress);
    if (signal.aborted || text === "" || clock.now() - toldAt < bounds.serverProgressMsMin) return;
    toldAt = clock.now();
    onProgress(text);
  };
}

function progressText(progress: unknown): string {
  if (!isRecord(progress)) return "";
  const { progress: done, total, message } = progress;
  const steps = typeof done === "number" ? `${done}${typeof total === "number" ? `/${total}` : ""}` : "";
  const words = typeof message === "string" ? message.slice(0, bounds.serverProgressCharsMax).toWellFormed() : "";
  return [steps, words].filter((part) => part !== "").join(" ");
}
