import { type Refused, refused } from "../agent/refused.ts";
import { fullName } from "../budget/window.ts";
import type { Wire } from "../kernel/usage.ts";
import type { ModelChoice } from "../log/entry.ts";
import { type Described, modelOf } from "./options.ts";

/** A model by the name that a command or the user gives it, where the session can reach it. */
export function namedModel(name: string, options: Described): ModelChoice | Refused {
  const { window: _, ...others } = options;
  const model = modelOf({ ...others, model: fullName(name), listed: null });
  const isReached = options.world?.model !== undefined || options.endpoints[model.wire] !== undefined;
  return isReached ? model : refused(unreached(name, model.wire));
}

/** A name that is not known, as a nickname, is taken for one of an OpenAI-style service. */
function unreached(name: string, wire: Wire): string {
  const known = wire === "chat" ? "; `varve models` lists the names that are known" : "";
  return `model ${name} is taken for one of the protocol ${wire}, for which this session has no key and no address${known}`;
}
