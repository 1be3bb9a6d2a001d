import { describedModel } from "../adapters/described-model.ts";
import { own } from "../kernel/own.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { SessionOptions } from "../session/options.ts";
import { readModelsFile } from "./models-file.ts";
import { endpointOf, type Flags, memoryIn, modelOf, windowSettings } from "./settings.ts";

export type Chosen = Pick<
  SessionOptions,
  "model" | "listed" | "endpoints" | "windows" | "window" | "memory" | "memoryByModel" | "prices"
>;

/** The model that flags, environment or the session before name, where it is reached, and all that is known of it. */
export async function chosenModel(
  flags: Flags,
  root: string,
  before: ModelChoice | null,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Chosen> {
  const { windows, memory: memoryByModel, prices } = await readModelsFile(root);
  const memory = memoryIn(flags);
  const { wire, model } = modelOf(flags, env, before, windows);
  const endpoint = endpointOf(wire, flags, env);
  const window = windowSettings(flags);
  const settings = window ?? own(windows, model);
  const listed = await describedModel({ root, wire, endpoint, model, settings, now: Date.now() });
  return {
    model: modelOf(flags, env, before, windows, listed),
    listed,
    endpoints: { [wire]: endpoint },
    windows,
    memoryByModel,
    prices,
    ...(memory === undefined ? {} : { memory }),
    ...(window === undefined ? {} : { window }),
  };
}

/** A session's own model, and no way to reach it: for what calls none. */
export async function modelAsItIs(flags: Pick<Flags, "window">, root: string, model: ModelChoice): Promise<Chosen> {
  const { windows, memory: memoryByModel, prices } = await readModelsFile(root);
  const window = windowSettings(flags);
  const rest = window === undefined ? {} : { window };
  return { model, listed: null, endpoints: {}, windows, memoryByModel, prices, ...rest };
}
