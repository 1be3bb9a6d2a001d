import { noUsage, promptTokensOf } from "../kernel/usage.ts";
import { anthropicUsage } from "../provider/anthropic/usage.ts";
import { recordAt, stringAt } from "../provider/lenient.ts";
import type { Raw } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

export type ClaudeCodeCalls = ReturnType<typeof claudeCodeCalls>;

/** Which requests have begun, and what was last said of their usage: the last line of an answer has the true figures. */
export function claudeCodeCalls() {
  const said = new Map<string, string>();
  const newest = new Map<string, { readonly requestId: string; readonly request: string }>();
  return {
    /**
     * The request whose answer a line is a part of. The lines of one answer share the message's id, and the request's where
     * it was written down; a line that has neither is an answer of its own.
     */
    requestOf: (record: Raw, line: number): string => {
      const id = messageIdOf(record);
      const requestId = stringAt(record, "requestId");
      if (id === "") return requestId || stringAt(record, "uuid") || `${stringAt(record, "sessionId")}:line-${line}`;
      const known = newest.get(id);
      if (known !== undefined && (requestId === "" || known.requestId === "" || requestId === known.requestId))
        return known.request;
      const request = requestId === "" ? id : `${id}:${requestId}`;
      newest.set(id, { requestId, request });
      return request;
    },
    begun: (request: string, model: string | null): readonly ItemBody[] => {
      if (said.has(request)) return [];
      said.set(request, "");
      return [{ type: "request", request, model }];
    },
    reported: (request: string, record: Raw): readonly ItemBody[] => {
      const usage = anthropicUsage(recordAt(recordAt(record, "message"), "usage"));
      // Short: it is kept of every request of the file.
      const now = Object.values(usage ?? noUsage).join();
      const isNothing = usage === null || promptTokensOf(usage) + usage.output === 0;
      if (isNothing || said.get(request) === now) return [];
      said.set(request, now);
      return [{ type: "usage", request, usage, known: "all", key: request }];
    },
  };
}

export function messageIdOf(record: Raw): string {
  return stringAt(recordAt(record, "message"), "id");
}
