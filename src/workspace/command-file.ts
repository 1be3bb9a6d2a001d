import type { ToolLimits } from "../log/skill.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import { type FieldReader, fieldReader } from "./marked-fields.ts";
import { limitsIn } from "./tool-limits.ts";

/** Where a command's file lies. `name`: its path below the folder, `frontend:test` for `frontend/test.md`. */
export type CommandPlace = { readonly file: string; readonly name: string; readonly scope: "user" | "project" };

export type CommandFile = CommandPlace & {
  readonly description: string;
  readonly argumentHint: string;
  readonly argumentNames: readonly string[];
  readonly limits: ToolLimits;
  /** A lane of its own, and what it differs in. */
  readonly context: "inline" | "fork";
  readonly model: string | null;
  readonly effort: string | null;
  readonly agent: string | null;
  readonly body: string;
  /** All of it, as it was read. */
  readonly text: string;
};

export type CommandRead =
  | { readonly type: "ok"; readonly command: CommandFile; readonly notes: readonly string[] }
  /** Not to be run: what it was limited to cannot be told (CASES C-095). Each line names file and line. */
  | { readonly type: "bad"; readonly why: readonly string[] };

/** A file of `commands/`: Markdown, its fields left out or read strictly where a mistake would free something. */
export async function parseCommandFile(text: string, place: CommandPlace): Promise<CommandRead> {
  const { file } = place;
  const read = await parseFrontmatter(text);
  if (read.type === "bad")
    return { type: "bad", why: [`${file}:${read.line}: the fields cannot be read: ${read.why}`] };
  const given = read.type === "none" ? new Map() : read.fields;
  const fields = fieldReader(given, file);
  const unknown = [...given.keys()].filter((name) => !known.has(name));
  const body = read.body.trim();
  const command: CommandFile = {
    ...place,
    text,
    body,
    description: oneLine(fields.text("description", "note") ?? firstLine(body)),
    argumentHint: (fields.list("argument-hint", (hint) => [hint], "note") ?? []).join(" "),
    argumentNames: fields.list("arguments", (all) => all.split(/[\s,]+/).filter((one) => one !== ""), "note") ?? [],
    limits: limitsIn(fields, unknown),
    ...laneOf(fields),
  };
  if (fields.has("hooks")) fields.say("hooks", "hooks of a command are not run: write them into the settings", "fault");
  if (body === "") fields.say("description", "there is no text behind the fields", "fault");
  for (const name of unknown) fields.say(name, "not a field of commands, has no effect", "note");
  return fields.faults.length > 0 ? { type: "bad", why: fields.faults } : { type: "ok", command, notes: fields.notes };
}

const known: ReadonlySet<string> = new Set([
  ...["description", "argument-hint", "arguments", "allowed-tools", "disallowed-tools", "model", "effort", "agent"],
  ...["context", "hooks", "disable-model-invocation", "name", "version"],
]);

/** `inherit` is what the conversation has anyway. A lane that cannot be told is a fault: its limits would not hold here. */
function laneOf(fields: FieldReader): Pick<CommandFile, "context" | "model" | "effort" | "agent"> {
  const context = fields.text("context", "fault") ?? "inline";
  if (context !== "inline" && context !== "fork")
    fields.say("context", `expected inline or fork, got ${JSON.stringify(context.slice(0, 100))}`, "fault");
  const other = (name: string) => {
    const value = fields.text(name, "fault");
    return value === null || value === "" || value === "inherit" ? null : value;
  };
  return {
    context: context === "fork" ? "fork" : "inline",
    model: other("model"),
    effort: other("effort"),
    agent: other("agent"),
  };
}

function firstLine(body: string): string {
  return (
    body
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.replace(/^#+\s*/, "") ?? ""
  );
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > descriptionCharsMax ? `${line.slice(0, descriptionCharsMax - 1).toWellFormed()}…` : line;
}

const descriptionCharsMax = 200;
