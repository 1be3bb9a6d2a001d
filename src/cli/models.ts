import { readListings } from "../adapters/listing-file.ts";
import { isDay } from "../budget/fields.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { readModelsFile } from "./models-file.ts";
import { refreshListings } from "./models-refresh.ts";
import { type ModelRow, modelRows } from "./models-rows.ts";
import { modelDetail, modelsTable } from "./models-text.ts";
import { type Flags, homeOf } from "./settings.ts";
import { printable } from "./terminal.ts";

type ModelsFlags = Pick<Flags, "wire" | "baseUrl"> & {
  readonly json?: boolean;
  readonly at?: string;
  readonly refresh?: boolean;
};

/** `varve models`: what is known of models, and where from: windows, longest answers, prices at a day. */
export async function runModels(name: string | undefined, flags: ModelsFlags): Promise<number> {
  if (flags.refresh !== true && (flags.baseUrl !== undefined || flags.wire !== undefined))
    throw new UsageError("--base-url and --wire say whom to ask: add --refresh");
  const root = homeOf(process.env);
  const at = flags.at === undefined ? Date.now() : timeOf(flags.at);
  const settings = await readModelsFile(root);
  const refreshed = flags.refresh === true ? await refreshListings(root, flags, process.env) : "done";
  const all = modelRows({ settings, listings: await readListings(root), at });
  const rows = name === undefined ? all : named(name, all);
  if (flags.json === true)
    process.stdout.write(`${JSON.stringify({ at: new Date(at).toISOString(), models: rows })}\n`);
  else process.stdout.write(printable(textOf(name, rows, at)));
  return refreshed === "done" ? exitCodes.done : exitCodes.failed;
}

function textOf(name: string | undefined, rows: readonly ModelRow[], at: number): string {
  const [only] = rows;
  return name !== undefined && rows.length === 1 && only !== undefined
    ? modelDetail(only, at)
    : modelsTable(rows, { at, idsToo: name !== undefined });
}

/** The model of that id, or those whose ids hold the name. */
function named(name: string, rows: readonly ModelRow[]): readonly ModelRow[] {
  const wanted = name.toLowerCase();
  const exact = rows.filter(({ id }) => id.toLowerCase() === wanted);
  const found = exact.length > 0 ? exact : rows.filter(({ id }) => wanted !== "" && id.toLowerCase().includes(wanted));
  if (found.length > 0) return found;
  throw new CommandError(
    `nothing is known of "${name}"; \`varve models\` lists what is, --refresh asks the provider, models.json describes your own`,
  );
}

/** A day means its noon, so that it is the same day in every place that reads it, and outside of peaks. */
function timeOf(text: string): number {
  const time = isDay(text)
    ? Date.parse(`${text}T12:00:00Z`)
    : /^\d{4}-\d\d-\d\dT/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`--at: expected a day like 2026-12-01, or a time like 2026-12-01T02:00:00Z; got "${text}"`);
  return time;
}
