import { noUsage, promptTokensOf } from "../kernel/usage.ts";
import { anthropicUsage } from "../provider/anthropic/usage.ts";
import { recordAt, stringAt } from "../provider/lenient.ts";
import { hash, openIdMap } from "./id-map.ts";
import type { Raw } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

export type ClaudeCodeCalls = ReturnType<typeof claudeCodeCalls>;

/** Which requests have begun, and what was last said of their usage: the last line of an answer has the true figures. */
export function claudeCodeCalls() {
  const said = openIdMap();
  const newest = openNewest();
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
      if (said.get(request) !== undefined) return [];
      said.set(request, 0);
      return [{ type: "request", request, model }];
    },
    reported: (request: string, record: Raw): readonly ItemBody[] => {
      const usage = anthropicUsage(recordAt(recordAt(record, "message"), "usage"));
      const now = hash(Object.values(usage ?? noUsage).join(), 0);
      const isNothing = usage === null || promptTokensOf(usage) + usage.output === 0;
      if (isNothing || said.get(request) === now) return [];
      said.set(request, now);
      return [{ type: "usage", request, usage, known: "all", key: request }];
    },
  };
}

type Named = { readonly requestId: string; readonly request: string };

/** The newest answers by their messages' ids. The lines of one answer stand near each other, so old ones may go. */
function openNewest() {
  let young = new Map<string, Named>();
  let old: ReadonlyMap<string, Named> = new Map();
  return {
    get: (id: string): Named | undefined => young.get(id) ?? old.get(id),
    set: (id: string, named: Named): void => {
      if (young.size >= answersKept) [old, young] = [young, new Map()];
      young.set(id, named);
    },
  };
}

const answersKept = 4_096;

export function messageIdOf(record: Raw): string {
  return stringAt(recordAt(record, "message"), "id");
}
