import { listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import type { Raw } from "./record.ts";
import { inputOf } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

export type CallIds = {
  readonly of: (entry: Raw, request: string) => readonly ItemBody[];
  /** The call that this entry answers, which is not answered yet; null: none. */
  readonly answered: (entry: Raw) => string | null;
  readonly any: () => boolean;
};

/** Ids of calls, unique: recorded ones may come twice in one run, and a command in a text has none. */
export function callIds(): CallIds {
  const used = new Map<string, number>();
  let open: readonly { readonly recorded: string; readonly callId: string }[] = [];

  const unique = (recorded: string): string => {
    const times = (used.get(recorded) ?? 0) + 1;
    used.set(recorded, times);
    return times === 1 ? recorded : `${recorded}#${times}`;
  };

  return {
    of: (entry, request) => {
      const calls = callsOf(entry, request).map((call) => ({ ...call, callId: unique(call.recorded) }));
      open = calls.map(({ recorded, callId }) => ({ recorded, callId }));
      return calls.map(({ callId, tool, input }) => ({ type: "call", request, callId, tool, input }));
    },
    answered: (entry) => {
      const [recorded] = listAt(entry, "tool_call_ids");
      const isResult =
        entry.role === "tool" || stringAt(entry, "message_type") === "observation" || entry.message_type === undefined;
      const found = recorded === undefined ? open[0] : open.find((one) => one.recorded === recorded);
      if (!isResult || found === undefined) return null;
      open = open.filter((one) => one !== found);
      return found.callId;
    },
    any: () => used.size > 0,
  };
}

type Call = { readonly recorded: string; readonly tool: string; readonly input: string };

function callsOf(entry: Raw, request: string): readonly Call[] {
  const calls = listAt(entry, "tool_calls").map(recordOf);
  if (calls.length > 0)
    return calls.map((call, index) => {
      const of = recordAt(call, "function");
      const input = inputOf(of.arguments);
      return { recorded: stringAt(call, "id") || `${request}-${index}`, tool: stringAt(of, "name"), input };
    });
  const action = stringAt(entry, "action").trim();
  const [tool] = action.split(/\s/, 1);
  return action === "" ? [] : [{ recorded: `action-${request}`, tool: tool ?? "", input: action }];
}
