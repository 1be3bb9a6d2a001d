import type { ReplayedPrompt } from "./replay.ts";
import type { Shown } from "./strategy.ts";

/** One line per model call, from which an outside checker can build every prompt again (METRICS 1). */
export function traceLine(strategy: string, session: string, prompt: ReplayedPrompt): string {
  const { call, at, callIds, keep, add, break: reason } = prompt;
  return JSON.stringify({
    strategy,
    session,
    call,
    at,
    callIds,
    keep,
    add: add.map(segmentOf),
    ...(reason === null ? {} : { break: reason }),
  });
}

/** The head's text is not in the files, only its size. */
function segmentOf({ role, kind, callId, text, tokens, handles }: Shown): object {
  if (text === null) return { role, kind, tokens };
  return {
    role,
    kind,
    ...(callId === null ? {} : { callId }),
    text,
    ...(handles.length === 0 ? {} : { handles }),
  };
}
