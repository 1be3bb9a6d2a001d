import type { ReplayedPrompt } from "./replay.ts";
import type { Shown } from "./strategy.ts";

/**
 * One line per model call, from which an outside checker can build every prompt again (METRICS 1). `recalled`, `calls` and
 * `reasoningTokensLost` say what the net cost charges besides; they are left out where there was none.
 */
export function traceLine(strategy: string, session: string, prompt: ReplayedPrompt): string {
  const { call, at, callIds, keep, add, break: reason, recalled, calls, reasoningTokensLost } = prompt;
  return JSON.stringify({
    strategy,
    session,
    call,
    at,
    callIds,
    keep,
    add: add.map(segmentOf),
    ...(reason === null ? {} : { break: reason }),
    ...(recalled.length === 0
      ? {}
      : { recalled: recalled.map(({ block, steps }) => ({ callId: block.callId, steps, text: block.text })) }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(reasoningTokensLost === 0 ? {} : { reasoningTokensLost }),
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
