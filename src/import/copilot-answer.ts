import { isRecord } from "../kernel/canonical.ts";
import { noUsage } from "../kernel/usage.ts";
import { countAt, listAt, stringAt } from "../provider/lenient.ts";
import type { Raw } from "./record.ts";
import { inputOf } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** Requests that have begun and calls that were made, each of which several events name. */
export type CopilotCalls = {
  readonly begun: (request: string, model: string | null) => readonly ItemBody[];
  readonly called: (request: string, asked: Raw) => readonly ItemBody[];
  /** A tool that runs: a call of its own only where no answer asked for it. */
  readonly started: (data: Raw) => readonly ItemBody[] | null;
};

export function copilotCalls(): CopilotCalls {
  const requests = new Set<string>();
  const calls = new Set<string>();
  return {
    begun: (request, model) => {
      if (requests.has(request)) return [];
      requests.add(request);
      return [{ type: "request", request, model }];
    },
    called: (request, asked) => {
      const callId = stringAt(asked, "toolCallId");
      if (calls.has(callId)) return [];
      calls.add(callId);
      return [{ type: "call", request, callId, tool: stringAt(asked, "name"), input: inputOf(asked.arguments) }];
    },
    started: (data) => {
      const callId = stringAt(data, "toolCallId");
      if (callId === "") return null;
      if (calls.has(callId)) return [];
      calls.add(callId);
      const tool = stringAt(data, "toolName");
      return [{ type: "call", request: null, callId, tool, input: inputOf(data.arguments) }];
    },
  };
}

/** An answer, whole or one of its pieces. The format keeps the answer's tokens alone. */
export function copilotAnswer(
  data: Raw,
  event: string,
  model: string | null,
  calls: CopilotCalls,
): readonly ItemBody[] {
  const request = stringAt(data, "apiCallId") || stringAt(data, "messageId") || stringAt(data, "requestId") || event;
  const thought = stringAt(data, "reasoningText");
  const opaqueChars = stringAt(data, "reasoningOpaque").length + stringAt(data, "encryptedContent").length;
  const text = stringAt(data, "content");
  const output = countAt(data, "outputTokens");
  return [
    ...calls.begun(request, stringAt(data, "model") || model),
    ...(thought === "" && opaqueChars === 0
      ? []
      : [{ type: "reasoning", request, text: thought, opaqueChars } as const]),
    ...(text === "" ? [] : [{ type: "text", request, text } as const]),
    ...listAt(data, "toolRequests")
      .filter(isRecord)
      .flatMap((asked) => calls.called(request, asked)),
    ...(output === null || output === 0 ? [] : [usageOf(request, output)]),
  ];
}

function usageOf(request: string, output: number): ItemBody {
  return { type: "usage", request, usage: { ...noUsage, output }, known: "output", key: request };
}
