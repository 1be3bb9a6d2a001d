import type { HookRule } from "../workspace/hooks.ts";
import { mergeSettings } from "../workspace/settings-merge.ts";
import { countedFiles } from "./counted-settings.ts";
import { exitCodes } from "./exit.ts";
import type { Places } from "./permissions.ts";
import { homeOf } from "./settings.ts";
import { endingInLine, printable } from "./terminal.ts";

/** `varve hooks`: what would run at which event, where it comes from, and whether it counts. */
export async function runHooks(flags: { readonly json?: boolean }): Promise<number> {
  const rows = await rowsOf({ home: homeOf(process.env), cwd: process.cwd() });
  const text = flags.json === true ? JSON.stringify({ hooks: rows }) : rows.map(lineOf).join("\n");
  process.stdout.write(endingInLine(text === "" ? "no settings file names a hook here" : text));
  return exitCodes.done;
}

type Row = Pick<HookRule, "event" | "matcher" | "command" | "timeoutMs" | "file"> & {
  readonly state: "runs" | "not approved" | "switched off";
};

async function rowsOf(places: Places): Promise<readonly Row[]> {
  const counted = await countedFiles({}, places);
  const running = new Set(mergeSettings(counted).hooks);
  return counted.flatMap(({ settings, trust }) =>
    settings.hooks.map((hook): Row => {
      const { event, matcher, command, timeoutMs, file } = hook;
      const state = running.has(hook) ? "runs" : trust === "whole" ? "switched off" : "not approved";
      return { event, matcher, command, timeoutMs, file, state };
    }),
  );
}

function lineOf({ event, matcher, command, timeoutMs, file, state }: Row): string {
  const at = `${event}${matcher === "" || matcher === "*" ? "" : ` (${matcher})`}`;
  const why = state === "not approved" ? "not approved: see `varve trust`" : state;
  return printable(`${at}  ${command.replaceAll("\n", " ")}\n    ${file}, at most ${timeoutMs / 1000} s; ${why}`);
}
