import { describedModel } from "../adapters/described-model.ts";
import type { SessionOptions } from "../create-session.ts";
import { own } from "../kernel/own.ts";
import type { ModelChoice } from "../log/entry.ts";
import { readModelsFile } from "./models-file.ts";
import { endpointOf, type Flags, modelOf, windowSettings } from "./settings.ts";

type Chosen = Pick<SessionOptions, "model" | "listed" | "endpoints" | "windows" | "window">;

/** The model that flags, environment or the session before name, where it is reached, and all that is known of it. */
export async function chosenModel(flags: Flags, root: string, before: ModelChoice | null): Promise<Chosen> {
  const { windows } = await readModelsFile(root);
  const { wire, model } = modelOf(flags, process.env, before, windows);
  const endpoint = endpointOf(wire, flags, process.env);
  const window = windowSettings(flags);
  const settings = window ?? own(windows, model);
  const listed = await describedModel({ root, wire, endpoint, model, settings, now: Date.now() });
  return {
    model: modelOf(flags, process.env, before, windows, listed),
    listed,
    endpoints: { [wire]: endpoint },
    windows,
    ...(window === undefined ? {} : { window }),
  };
}
