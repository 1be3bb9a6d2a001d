import { userHome } from "../adapters/environment.ts";
import { styleNamed } from "../adapters/styles.ts";
import type { State } from "../log/state.ts";
import { UsageError } from "./exit.ts";
import { printable, say } from "./terminal.ts";

/**
 * The output style to open a session with; undefined: as the session has it. A flag that names none is wrong usage; a setting
 * that does, perhaps another program's, is said and stops nothing.
 */
export async function styleFor(
  flag: string | undefined,
  setting: string | null,
  before: State | null,
  { root, cwd }: { readonly root: string; readonly cwd: string },
): Promise<string | undefined> {
  const wanted = flag ?? (before === null ? setting : null);
  if (wanted === null || wanted === undefined) return undefined;
  const found = await styleNamed(wanted, { cwd, user: userHome(), home: root });
  if (found.type !== "bad") return wanted;
  if (flag !== undefined) throw new UsageError(`--output-style: ${found.why}`);
  say(`varve: outputStyle: ${printable(found.why)}`);
  return undefined;
}
