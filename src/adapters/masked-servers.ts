import { parseJson } from "../kernel/json.ts";
import type { ServerState, Servers } from "../ports/servers.ts";
import type { Mask } from "../secrets/mask.ts";

/** What servers say of themselves, with a mask on it: it stands in prompts. What their calls answer is masked as any result is. */
export function maskedServers(servers: Servers, mask: Mask): Servers {
  const known = new WeakMap<ServerState, ServerState>();
  const masked = (state: ServerState): ServerState => {
    const made = known.get(state) ?? maskedState(state, mask);
    known.set(state, made);
    return made;
  };
  return { ...servers, now: () => servers.now().map(masked) };
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
