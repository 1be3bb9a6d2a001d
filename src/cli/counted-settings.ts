import { type CountedSettings, freedBy } from "../workspace/settings-merge.ts";
import { commandLine, type PermissionFlags, type Places, settingsFiles } from "./permissions.ts";
import { isApproved } from "./trusted.ts";

/** A settings file as it counts now. `path` is null for what the command line says. */
export type CountedFile = CountedSettings & { readonly path: string | null };

/** Everything that says something of the settings, and how far it counts as things stand: nobody is asked, nothing approved. */
export async function countedFiles(flags: PermissionFlags, places: Places): Promise<readonly CountedFile[]> {
  const given = (await commandLine(flags)).map((settings): CountedFile => ({ path: null, settings, trust: "whole" }));
  const files: CountedFile[] = [];
  for (const file of await settingsFiles(places)) {
    const { path, settings } = file;
    const { scope } = settings.source;
    const isProjects = scope === "project" || scope === "local";
    const isTrusted = !isProjects || flags.trustProject === true || (await isApproved(places.home, file));
    files.push({ path, settings, trust: isTrusted ? "whole" : "only what restricts" });
  }
  return [...given, ...files];
}

/** What of a file has no effect until somebody approves it. */
export function withoutEffect({ settings, trust }: CountedSettings): readonly string[] {
  return trust === "whole" ? [] : freedBy(settings);
}
