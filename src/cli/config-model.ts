import { type MemoryPolicy, type WindowSettings, windowOf } from "../budget/window.ts";
import { bounds } from "../kernel/bounds.ts";
import { own } from "../kernel/own.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { ListedModel } from "../provider/listed-model.ts";
import { type ConfigRow, flagRow, shownUrl, usual } from "./config-row.ts";
import { isSet } from "./config-settings.ts";
import { NoKeyError, NoModelError } from "./exit.ts";
import {
  baseUrlNamed,
  chosenReductions,
  type Flags,
  memoryIn,
  modelNamed,
  modelOf,
  oneOf,
  positive,
  providerNames,
  verbosityOf,
  windowSettings,
} from "./settings.ts";

export type ModelGround = {
  readonly flags: Flags & { readonly assembly?: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's `models.json`. */
  readonly models: {
    readonly path: string;
    readonly windows: Readonly<Record<string, WindowSettings>>;
    readonly memory: Readonly<Record<string, MemoryPolicy>>;
  };
  /** What is kept of the provider's listing; nobody is asked. */
  readonly listed: (model: ModelChoice) => Promise<ListedModel | null>;
};

/** The model of a new session, where it is reached and how its window is kept. A missing key is a note: nothing is sent. */
export async function modelRows(ground: ModelGround): Promise<readonly ConfigRow[]> {
  const { flags } = ground;
  const rest = [
    flagRow("effort", "--effort", flags.effort, null),
    flagRow("verbosity", "--verbosity", verbosityOf(flags), null),
    ...reductionRows(flags),
    flagRow("assembly", "--assembly", assemblyIn(flags.assembly), "append"),
    flagRow("maxTurns", "--max-turns", positive("--max-turns", flags.maxTurns), bounds.stepsPerTurnMax),
  ];
  const choice = choiceOf(ground, null);
  if (typeof choice === "string") return [{ key: "model", value: null, from: usual, note: choice }, ...rest];
  const listed = await ground.listed(choice);
  const model = choiceOf(ground, listed);
  if (typeof model === "string") throw new Error("a model that was there is gone");
  const named = modelNamed(flags, ground.env);
  return [
    { key: "model", value: model.model, from: named?.from ?? usual },
    wireRow(model, flags),
    ...reachedRows(model, ground),
    windowRow(model, listed, ground),
    { key: "outputTokensMax", value: model.outputTokensMax, from: "the model and its window" },
    memoryRow(model, ground),
    ...rest,
  ];
}

/** A text says why there is none. */
function choiceOf({ flags, env, models }: ModelGround, listed: ListedModel | null): ModelChoice | string {
  try {
    return modelOf(flags, env, null, models.windows, listed);
  } catch (error) {
    if (error instanceof NoModelError || error instanceof NoKeyError) return error.message.split("\n")[0] ?? "";
    throw error;
  }
}

function wireRow({ wire }: ModelChoice, flags: Flags): ConfigRow {
  return { key: "wire", value: wire, from: flags.wire === undefined ? "the model's name" : "flag --wire" };
}

function reachedRows({ wire }: ModelChoice, { flags, env }: ModelGround): readonly ConfigRow[] {
  const said = baseUrlNamed(wire, flags, env);
  const variable = `${providerNames[wire]}_API_KEY`;
  return [
    { key: "baseUrl", value: said === null ? null : shownUrl(said.value), from: said?.from ?? usual },
    { key: "key", value: isSet(env[variable]), from: `environment ${variable}` },
  ];
}

function windowRow({ model }: ModelChoice, listed: ListedModel | null, { flags, models }: ModelGround): ConfigRow {
  const given = windowSettings(flags);
  const { windowTokens, from, note } = windowOf({
    model,
    settings: given ?? own(models.windows, model) ?? null,
    listed,
  });
  const said = given === undefined ? models.path : "flag --window";
  return { key: "window", value: windowTokens, from: from === "settings" ? said : from, note };
}

/** Where nothing is said, each session decides by the model's prices and by the room in its window. */
function memoryRow({ model }: ModelChoice, { flags, models }: ModelGround): ConfigRow {
  const given = memoryIn(flags);
  const byModel = own(models.memory, model);
  if (given !== undefined || byModel === undefined) return flagRow("memory", "--memory", given, "auto");
  return { key: "memory", value: byModel, from: models.path };
}

function reductionRows(flags: Flags): readonly ConfigRow[] {
  // Checked as a session checks them; shown in the words of the flags.
  chosenReductions(flags);
  return [
    flagRow("summaries", "--summaries", flags.summaries, "model"),
    flagRow("clearing", "--clearing", flags.clearing, "ours"),
  ];
}

function assemblyIn(text: string | undefined): string | undefined {
  return text === undefined ? undefined : oneOf("--assembly", ["append", "boundary", "boundary-forced"], text);
}
