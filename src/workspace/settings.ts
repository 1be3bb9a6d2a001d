import { bounds } from "../kernel/bounds.ts";
import { parseJson } from "../kernel/json.ts";
import { type JsonNode, memberOf, repeatedKey, scanJson } from "../kernel/json-spans.ts";
import type { PermissionMode } from "../log/entry.ts";
import { type FileGuards, guardKeys, guardsIn } from "./guards.ts";
import { type HookRule, hooksIn } from "./hooks.ts";
import { namesNoTool, parseRule, type Rule, type RuleKind, ruleKinds, type Scope } from "./rule.ts";

/** Where a text of settings comes from. `foreign`: written for another agent, so that words we do not know are no mistakes. */
export type SettingsSource = {
  readonly file: string;
  readonly scope: Scope;
  readonly written: "ours" | "foreign";
};

/** The permissions of one file. `notes` say what has no effect. */
export type FileSettings = {
  readonly source: SettingsSource;
  readonly rules: readonly Rule[];
  readonly mode: PermissionMode | null;
  readonly directories: readonly string[];
  readonly bypass: "as chosen" | "refused";
  readonly webSearch: SearchSettings | null;
  /** Name of an output style. */
  readonly outputStyle: string | null;
  readonly guards: FileGuards;
  readonly hooks: readonly HookRule[];
  /** `none`: no hooks but those of stronger files. */
  readonly hookUse: "as written" | "none";
  readonly notes: readonly string[];
};

/** Where the web is searched; `keyEnv` names the variable of the environment that holds its key. */
export type SearchSettings = { readonly endpoint: string; readonly keyEnv: string | null };

export type ParsedSettings =
  | { readonly type: "ok"; readonly settings: FileSettings }
  | { readonly type: "bad"; readonly why: string };

/**
 * Reads `permissions` of a settings file. A rule that is not understood is an error that names file, place and text: to
 * skip a rule that refuses would allow. Only allow rules of foreign files are skipped, with a note.
 */
export function parseSettings(text: string, source: SettingsSource): ParsedSettings {
  if (text.length > bounds.settingsBytesMax)
    return bad(source, "", `holds more than ${bounds.settingsBytesMax} characters`);
  const json = text.replace(/^\ufeff/, "");
  const parsed = parseJson(json);
  if (parsed.type === "bad") return bad(source, "", `not valid JSON: ${parsed.why}`);
  const top = recordOf(parsed.value);
  if (top === null) return bad(source, "", `expected an object, got ${shown(parsed.value)}`);
  const wrong = misleadingKey(scanJson(new TextEncoder().encode(json)));
  if (wrong !== null) return bad(source, wrong.key, wrong.why);
  const strange = source.written === "ours" ? [...top.keys()].filter((key) => !topKeys.has(key)) : [];
  const notes = strange.map((key) => `${source.file}: ${key}: not known here, has no effect`);
  const value = top.get("permissions");
  const fields = value === undefined ? new Map<string, unknown>() : recordOf(value);
  if (fields === null) return bad(source, "permissions", `expected an object, got ${shown(value)}`);
  const webSearch = source.written === "ours" ? searchOf(top.get("webSearch")) : null;
  if (typeof webSearch === "string") return bad(source, "webSearch", webSearch);
  const style = top.get("outputStyle") ?? null;
  if (source.written === "ours" && style !== null && typeof style !== "string")
    return bad(source, "outputStyle", `expected the name of an output style, got ${shown(style)}`);
  const outputStyle = typeof style === "string" && style.trim() !== "" ? style : null;
  const guards = guardsIn(top, source);
  if (guards.type === "bad") return bad(source, guards.field, guards.why);
  const hooks = hooksIn(top.get("hooks"), source);
  if (hooks.type === "bad") return bad(source, hooks.field, hooks.why);
  const off = top.get("disableAllHooks") ?? false;
  if (typeof off !== "boolean") return bad(source, "disableAllHooks", `expected true or false, got ${shown(off)}`);
  const result = permissionsOf(fields, source, [...notes, ...guards.notes, ...hooks.notes]);
  if (result.type === "bad") return result;
  const told = { hooks: hooks.hooks, hookUse: off ? "none" : "as written" } as const;
  return { type: "ok", settings: { ...result.settings, webSearch, outputStyle, guards: guards.guards, ...told } };
}

/** Of a repeated key JSON keeps the last, and rules under a mistyped one would be skipped: both would allow. So would a hook that is lost. */
function misleadingKey(top: JsonNode): { readonly key: string; readonly why: string } | null {
  const keys = keysOf(top);
  const mistyped = keys.find((key) => key !== "permissions" && /^permissions?$/i.test(key.trim()));
  if (mistyped !== undefined) return { key: mistyped, why: "expected permissions" };
  const inside = keysOf(memberOf(top, "permissions"));
  const repeated =
    [keys, inside].flatMap((list) => list.filter((key, at) => list.indexOf(key) !== at))[0] ??
    repeatedKey(memberOf(top, "hooks"));
  return repeated === null ? null : { key: repeated, why: "stands there twice" };
}

function keysOf(node: JsonNode | undefined): readonly string[] {
  return node?.type === "object" ? node.members.map(({ key }) => key) : [];
}

const topKeys: ReadonlySet<string> = new Set([
  "permissions",
  "webSearch",
  "outputStyle",
  ...guardKeys,
  "hooks",
  "disableAllHooks",
  "$schema",
]);

/** null: none is set; a text: what is wrong. */
function searchOf(value: unknown): SearchSettings | null | string {
  if (value === undefined) return null;
  const fields = recordOf(value);
  if (fields === null) return `expected an object, got ${shown(value)}`;
  const strange = [...fields.keys()].find((key) => key !== "endpoint" && key !== "keyEnv");
  if (strange !== undefined) return `${strange}: not known; expected endpoint and perhaps keyEnv`;
  const [endpoint, keyEnv = null] = [fields.get("endpoint"), fields.get("keyEnv")];
  if (typeof endpoint !== "string" || !URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    return `endpoint: expected an http or https address, got ${shown(endpoint)}`;
  if (keyEnv !== null && (typeof keyEnv !== "string" || !/^[A-Za-z_]\w*$/.test(keyEnv)))
    return `keyEnv: expected the name of a variable, got ${shown(keyEnv)}`;
  return { endpoint, keyEnv };
}

function permissionsOf(
  fields: ReadonlyMap<string, unknown>,
  source: SettingsSource,
  before: readonly string[],
): ParsedSettings {
  const unknown = [...fields.keys()].filter((key) => !permissionKeys.has(key));
  if (unknown.length > 0 && source.written === "ours")
    return bad(source, `permissions.${unknown[0]}`, `not known; expected one of ${[...permissionKeys].join(", ")}`);
  const notes = [...before];
  const rules: Rule[] = [];
  for (const kind of ruleKinds) {
    const list = listOf(fields.get(kind));
    if (list === null)
      return bad(source, `permissions.${kind}`, 'expected a list of rules, such as ["Bash(npm test:*)"]');
    if (list.length > bounds.rulesMax) return bad(source, `permissions.${kind}`, `at most ${bounds.rulesMax} rules`);
    for (const [at, text] of list.entries()) {
      const rule = ruleOf(text, kind, source);
      const why = rule.type === "bad" ? `permissions.${kind}[${at}]: ${shown(text)}: ${rule.why}` : "";
      if (rule.type === "ok") {
        rules.push(rule.rule);
        if (source.written === "ours" && namesNoTool(rule.rule))
          notes.push(`${source.file}: permissions.${kind}[${at}]: ${shown(text)} names no tool that is known here`);
      } else if (kind === "allow" && source.written === "foreign")
        notes.push(`${source.file}: ${why}; it allows nothing`);
      else return { type: "bad", why: `${source.file}: ${why}` };
    }
  }
  return restOf(fields, { source, rules, notes });
}

const permissionKeys: ReadonlySet<string> = new Set([
  ...ruleKinds,
  "defaultMode",
  "additionalDirectories",
  "disableBypassPermissionsMode",
]);

function ruleOf(text: unknown, kind: RuleKind, { file, scope }: SettingsSource): ReturnType<typeof parseRule> {
  if (typeof text !== "string") return { type: "bad", why: "expected a text" };
  return parseRule(text.trim(), { kind, file, scope });
}

function restOf(
  fields: ReadonlyMap<string, unknown>,
  so: Pick<FileSettings, "source" | "rules" | "notes">,
): ParsedSettings {
  const { source } = so;
  const named = fields.get("defaultMode");
  const mode = modes.find((one) => one === named) ?? null;
  const isStrange = named !== undefined && mode === null;
  if (isStrange && source.written === "ours")
    return bad(source, "permissions.defaultMode", `expected one of ${modes.join(", ")}, got ${shown(named)}`);
  const notes = isStrange ? [...so.notes, `${source.file}: defaultMode ${shown(named)} is not known here`] : so.notes;
  const directories = listOf(fields.get("additionalDirectories"))?.filter(
    (one) => typeof one === "string" && one !== "",
  );
  if (directories === undefined || directories.length !== (listOf(fields.get("additionalDirectories")) ?? []).length)
    return bad(source, "permissions.additionalDirectories", "expected a list of folders");
  const disable = fields.get("disableBypassPermissionsMode");
  if (disable !== undefined && disable !== "disable")
    return bad(source, "permissions.disableBypassPermissionsMode", `expected "disable", got ${shown(disable)}`);
  const folders = directories.flatMap((one) => (typeof one === "string" ? [one] : []));
  const bypass = disable === undefined ? "as chosen" : "refused";
  return {
    type: "ok",
    settings: {
      ...so,
      notes,
      mode,
      directories: folders,
      bypass,
      webSearch: null,
      outputStyle: null,
      guards: {},
      hooks: [],
      hookUse: "as written",
    },
  };
}

const modes: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];

/** Rules as the command line takes them: several in one text, with commas or blanks between, but not inside parentheses. */
export function rulesIn(text: string): readonly string[] {
  return text.match(/[^\s,()]+(?:\((?:[^()]|\([^()]*\))*\))?|[^\s,]+/g) ?? [];
}

function listOf(value: unknown): readonly unknown[] | null {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : null;
}

function recordOf(value: unknown): ReadonlyMap<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 200);
}

function bad({ file }: SettingsSource, field: string, why: string): ParsedSettings {
  return { type: "bad", why: `${file}: ${field === "" ? "" : `${field}: `}${why}` };
}
