import { type Config, readConfig } from "./config-read.ts";
import type { ConfigRow } from "./config-row.ts";
import { environmentMask } from "./environment-mask.ts";
import { exitCodes, UsageError } from "./exit.ts";
import type { OpenFlags } from "./open-session.ts";
import { endingInLine, printable } from "./terminal.ts";

/** `varve config`: what holds here, one line each, and where it comes from. No value of a secret is shown. */
export async function runConfig(
  key: string | undefined,
  flags: OpenFlags & { readonly json?: boolean },
): Promise<number> {
  const config = await readConfig(flags, { cwd: process.cwd(), env: process.env });
  const shown = key === undefined ? config : { ...config, rows: rowsNamed(config.rows, key) };
  const text = flags.json === true ? JSON.stringify(shown) : configText(shown, key === undefined ? "all" : "rows");
  process.stdout.write(endingInLine(printable(environmentMask("masked").text(text))));
  return exitCodes.done;
}

/** A setting by its key, or all of a group, as `permissions`. */
export function rowsNamed(rows: readonly ConfigRow[], key: string): readonly ConfigRow[] {
  const found = rows.filter((row) => row.key === key || row.key.startsWith(`${key}.`));
  if (found.length === 0) throw new UsageError(`there is no setting "${key}"; \`varve config\` lists them`);
  return found;
}

/** `all`: with what of the files has no effect. */
export function configText({ rows, files, notes }: Config, part: "all" | "rows"): string {
  const keys = Math.max(...rows.map(({ key }) => key.length));
  const values = Math.min(40, Math.max(...rows.map((row) => valueText(row).length)));
  const lines = rows.map((row) => {
    const note = row.note === undefined ? "" : `; ${row.note}`;
    return `${row.key.padEnd(keys)}  ${valueText(row).padEnd(values)}  ${row.from}${note}`.replaceAll("\n", " ");
  });
  if (part === "rows") return lines.join("\n");
  const unapproved = files.flatMap(({ path, withoutEffect }) => withoutEffect.map((what) => `  ${path}: ${what}`));
  return [
    ...lines,
    ...(unapproved.length === 0 ? [] : ["", "Without effect until it is approved (`varve trust`):", ...unapproved]),
    ...(notes.length === 0 ? [] : ["", "Without effect, or to be known:", ...notes.map((note) => `  ${note}`)]),
  ].join("\n");
}

function valueText({ value }: ConfigRow): string {
  if (value === null) return "-";
  if (typeof value === "object") return value.length === 0 ? "-" : value.join(", ");
  return String(value);
}
