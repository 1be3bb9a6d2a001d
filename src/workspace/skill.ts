import type { Skill, SkillPlace } from "../ports/skills.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import { type FieldReader, fieldReader } from "./marked-fields.ts";
import { rulePaths } from "./rules-file.ts";
import { limitsIn } from "./tool-limits.ts";

export type SkillRead =
  | { readonly type: "ok"; readonly skill: Skill; readonly notes: readonly string[] }
  /** Not to be run and not offered: what it was limited to cannot be told (CASES C-095). `why` names file and line. */
  | { readonly type: "bad"; readonly place: SkillPlace; readonly why: readonly string[] };

/** Strict where a mistake would free something, lenient elsewhere. Never throws for what a file holds. */
export async function parseSkill(text: string, place: SkillPlace): Promise<SkillRead> {
  const { file } = place;
  const bad = (...why: readonly string[]): SkillRead => ({ type: "bad", place, why });
  const read = await parseFrontmatter(text);
  if (read.type === "none") return bad(`${file}:1: expected --- and the skill's fields (name, description) there`);
  if (read.type === "bad") return bad(`${file}:${read.line}: the fields cannot be read: ${read.why}`);
  const fields = fieldReader(read.fields, file);
  nameOf(fields, place);
  const names = [...read.fields.keys()];
  const unknown = names.filter((name) => !known.has(name));
  const skill: Skill = {
    ...place,
    ...describedBy(fields, read.body),
    body: read.body.trim(),
    text,
    limits: limitsIn(fields, unknown),
    paths: pathsOf(fields),
    callers: callersOf(fields),
    argumentHint: hintOf(fields),
    argumentNames: fields.list("arguments", (all) => all.split(/[\s,]+/).filter((one) => one !== ""), "note") ?? [],
    ...laneOf(fields),
  };
  refuseHooks(fields);
  lookAtOthers(fields, unknown);
  return fields.faults.length > 0 ? bad(...fields.faults) : { type: "ok", skill, notes: fields.notes };
}

const known: ReadonlySet<string> = new Set([
  ...["name", "description", "license", "compatibility", "metadata", "version", "allowed-tools", "when_to_use"],
  ...["argument-hint", "arguments", "disable-model-invocation", "user-invocable", "disallowed-tools", "model"],
  ...["effort", "context", "agent", "background", "hooks", "paths", "shell"],
]);

/** A skill is called by its name, so it must be sure which one that is. */
function nameOf(fields: FieldReader, place: SkillPlace): void {
  const name = fields.has("name") ? fields.text("name", "fault") : place.name;
  if (name === null) return;
  if (name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    fields.say("name", `expected 1 to 64 of a-z, 0-9 and single hyphens between them, got ${quoted(name)}`, "fault");
  else if (name !== place.name)
    fields.say("name", `expected the name of its folder, ${quoted(place.name)}, got ${quoted(name)}`, "fault");
}

function describedBy(fields: FieldReader, body: string): Pick<Skill, "description" | "whenToUse"> {
  const given = oneLine(fields.text("description", "note") ?? "");
  if (given === "") fields.say("description", "there is none: the beginning of the text stands for it", "note");
  if (given.length > descriptionCharsMax)
    fields.say("description", `has ${given.length} characters; only ${descriptionCharsMax} are taken`, "note");
  const description = (given === "" ? firstParagraph(body) : given).slice(0, descriptionCharsMax).toWellFormed();
  return { description, whenToUse: oneLine(fields.text("when_to_use", "note") ?? "") };
}

const descriptionCharsMax = 1_024;

function firstParagraph(body: string): string {
  const paragraphs = body.split(/\n\s*\n/).map(oneLine);
  return paragraphs.find((one) => one !== "" && !one.startsWith("#")) ?? "";
}

function pathsOf(fields: FieldReader): readonly string[] | null {
  const split = (all: string) => all.split(/,(?![^{]*\})/).map((one) => one.trim());
  const paths = fields.list("paths", split, "fault")?.filter((one) => one !== "") ?? null;
  for (const fault of rulePaths(paths ?? []).faults) fields.say("paths", fault, "fault");
  return paths;
}

function callersOf(fields: FieldReader): Skill["callers"] {
  const model = !fields.flag("disable-model-invocation", false, "fault");
  const user = fields.flag("user-invocable", true, "fault");
  return [...(model ? (["model"] as const) : []), ...(user ? (["user"] as const) : [])];
}

/** `argument-hint: [file]` is a list to YAML. */
function hintOf(fields: FieldReader): string {
  return (fields.list("argument-hint", (text) => [text], "note") ?? []).join(" ");
}

function laneOf(fields: FieldReader): Pick<Skill, "context" | "model" | "effort" | "agent"> {
  const context = fields.text("context", "note") ?? "inline";
  if (context !== "inline" && context !== "fork")
    fields.say("context", `expected inline or fork, got ${quoted(context)}; inline is taken`, "note");
  fields.flag("background", false, "note");
  return {
    context: context === "fork" ? "fork" : "inline",
    model: fields.text("model", "note"),
    effort: fields.text("effort", "note"),
    agent: fields.text("agent", "note"),
  };
}

/** A hook may be what keeps a skill from doing harm: without it, it is not run. */
function refuseHooks(fields: FieldReader): void {
  if (fields.has("hooks"))
    fields.say(
      "hooks",
      "hooks of a skill are not run here: write them into the settings, and take them out here",
      "fault",
    );
}

function lookAtOthers(fields: FieldReader, unknown: readonly string[]): void {
  for (const name of unknown) fields.say(name, "not a field of skills, has no effect", "note");
  const compatibility = fields.text("compatibility", "note") ?? "";
  if (compatibility.length > 500) fields.say("compatibility", "has more than 500 characters", "note");
  const shell = fields.text("shell", "note") ?? "bash";
  if (shell !== "bash") fields.say("shell", `only bash is known here, got ${quoted(shell)}`, "fault");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
