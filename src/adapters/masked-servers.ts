import { canonicalJson } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { ServerAnswer, ServerState, Servers } from "../ports/servers.ts";
import type { Mask } from "../secrets/mask.ts";

/**
 * What servers say of themselves and their prompts, with a mask on it: it stands in prompts. What their calls answer is masked
 * as any result is. A call that holds a mask is not passed on: a server would write it where the secret was (CASES C-127).
 */
export function maskedServers(servers: Servers, mask: Mask): Servers {
  const known = new WeakMap<ServerState, ServerState>();
  const masked = (state: ServerState): ServerState => {
    const made = known.get(state) ?? maskedState(state, mask);
    known.set(state, made);
    return made;
  };
  return {
    ...servers,
    now: () => servers.now().map(masked),
    async call(of, asked) {
      const held = mask.heldBy(canonicalJson(of.input));
      return held === null ? await servers.call(of, asked) : notPassedOn(of.server, held);
    },
    prompt: async (of, signal) => maskedAnswer(await servers.prompt(of, signal), mask),
  };
}

function notPassedOn(server: string, held: string): ServerAnswer {
  const why = `Not called: the input holds ${held}, which stands for a secret that is not shown, and "${server}" would get the mask in its place. Leave it out, or ask the user.`;
  return { type: "failed", why };
}

function maskedAnswer(answer: ServerAnswer, mask: Mask): ServerAnswer {
  if (answer.type !== "answer") return { ...answer, why: mask.text(answer.why) };
  const content = answer.content.map((block) => ("text" in block ? { ...block, text: mask.text(block.text) } : block));
  return { ...answer, content };
}

/** The same object where nothing is masked. */
function maskedState(state: ServerState, mask: Mask): ServerState {
  const text = JSON.stringify(state);
  const shown = mask.text(text);
  if (shown === text) return state;
  const parsed = parseJson(shown);
  // The mask changes the inside of strings only; where it broke the JSON all the same, nothing of the server is shown.
  if (parsed.type === "ok") return parsed.value as ServerState;
  return { ...state, instructions: null, tools: [], prompts: [], status: { type: "off", why: "it shows a secret" } };
}
