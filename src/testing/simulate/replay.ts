import type { Brain, BrainReply, BrainRequest } from "./brain.ts";
import { type Conversation, placeOf, type Recording } from "./recording.ts";
import { translateCall } from "./replay-tools.ts";

/**
 * Answers from a recording: a request that holds n replies gets reply n of its conversation, so a client may be killed,
 * resumed or send a request again. Tools that are called otherwise here are found by kind.
 */
export function replayBrain(recording: Recording): Brain {
  return (request) => {
    const place = placeOf(request);
    const reply = conversationFor(recording, place)?.replies.get(place.at);
    if (reply === undefined) return { text: `The record ends here: it has no reply ${place.at + 1}.` };
    return translated(reply, request);
  };
}

/** By its first words; a client that writes a date or a folder into them is known by whether it offers tools. */
function conversationFor(recording: Recording, place: ReturnType<typeof placeOf>): Conversation | undefined {
  const alike = recording.filter(({ hasTools }) => hasTools === null || hasTools === place.hasTools);
  return alike.find(({ opening }) => opening === place.opening) ?? alike[0] ?? recording[0];
}

function translated(reply: BrainReply, { tools }: BrainRequest): BrainReply {
  const { calls = [], text, ...rest } = reply;
  const made = calls.map((call) => ({ call, here: translateCall(call, tools) }));
  const lost = tools.length === 0 ? [] : made.filter(({ here }) => here === null).map(({ call }) => call.tool);
  const note = lost.length === 0 ? [] : [`(The record calls ${lost.join(", ")}; no tool here is of that kind.)`];
  const said = [...(text === undefined ? [] : [text]), ...note].join("\n\n");
  return {
    ...rest,
    ...(said === "" ? {} : { text: said }),
    calls: made.flatMap(({ here }) => (here === null ? [] : [here])),
  };
}
