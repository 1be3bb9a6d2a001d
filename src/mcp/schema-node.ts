import { bounds } from "../kernel/bounds.ts";
import type { Json } from "../kernel/canonical.ts";
import { type Clean, keywords, looseKeywords, type Walk } from "./schema-keywords.ts";
import { isJsonRecord, type JsonRecord, referenced } from "./schema-ref.ts";
import { cutWords, quotedName, serverWords } from "./words.ts";

/** Where in the schema: how deep, and inside which references. */
type At = { readonly depth: number; readonly refs: readonly string[] };

/**
 * A schema anywhere in a server's, as every provider takes it: no references, no keywords but those of JSON Schema 2020-12,
 * each with a value of its kind, names of properties that are taken everywhere. It takes all that the original takes.
 */
export function cleanedSchema(given: Json | undefined, walk: Walk, at: At = start): JsonRecord {
  if (given === true || given === undefined) return {};
  if (!isJsonRecord(given)) {
    walk.loosened += 1;
    if (given !== false) walk.repairs.add("a part of it is no schema");
    return {};
  }
  walk.nodes += 1;
  if (walk.nodes > bounds.schemaNodesSeenMax) return {};
  if (at.depth > walk.depthMax || at.refs.length > bounds.schemaReferencesMax || walk.nodes > bounds.schemaNodesMax) {
    walk.repairs.add("its inner parts are left out");
    return outline(given, walk);
  }
  const { $ref: ref, ...rest } = given;
  if (typeof ref !== "string") return ownParts(rest, walk, at);
  const target = targetOf(ref, walk, at);
  const beside = ownParts(rest, walk, at);
  const isApart = Object.keys(beside).some((key) => !annotations.has(key));
  if (!isApart) return { ...target, ...beside };
  return Object.keys(target).length === 0 ? beside : { allOf: [target, beside] };
}

const start: At = { depth: 0, refs: [] };

const annotations: ReadonlySet<string> = new Set(["title", "description", "default", "examples"]);

/** Only what kind of value it is. */
function outline({ type, description }: JsonRecord, walk: Walk): JsonRecord {
  walk.loosened += 1;
  const kept = Object.entries({ type, description }).flatMap(([key, value]) => {
    const made = value === undefined ? undefined : keywords[key]?.(value, () => ({}), walk);
    return made === undefined ? [] : [[key, made] as const];
  });
  return withItems(Object.fromEntries(kept));
}

/** What a reference stands for; one inside itself, to which there is no end, by its outline. */
function targetOf(ref: string, walk: Walk, at: At): JsonRecord {
  const target = referenced(walk.root, ref);
  if (target === undefined) {
    walk.loosened += 1;
    walk.repairs.add(`a reference that is not followed: ${quotedName(ref)}`);
    return {};
  }
  if (at.refs.includes(ref)) {
    walk.loosened += 1;
    return isJsonRecord(target) ? outline(target, walk) : {};
  }
  return cleanedSchema(target, walk, { depth: at.depth, refs: [...at.refs, ref] });
}

function ownParts(given: JsonRecord, walk: Walk, at: At): JsonRecord {
  const clean: Clean = (inside) => cleanedSchema(inside, walk, { ...at, depth: at.depth + 1 });
  const made: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(withTuple(given))) {
    const keyword = Object.hasOwn(keywords, key) ? keywords[key] : undefined;
    const before = walk.loosened;
    const kept = value === undefined ? undefined : keyword?.(value, clean, walk);
    const isLoose = kept === undefined ? keyword !== undefined || looseKeywords.has(key) : false;
    if (isLoose) walk.loosened += 1;
    // More than one of them may fit now.
    if (kept !== undefined) made[key === "oneOf" && walk.loosened > before ? "anyOf" : key] = kept;
  }
  return withItems(withNames(given, withoutHalves(withTuple(given), made), walk));
}

/** `items` as a list is the older way to say `prefixItems`, and is refused by who reads by the newer. */
function withTuple(given: JsonRecord): JsonRecord {
  if (!Array.isArray(given.items)) return given;
  const { items, additionalItems, ...rest } = given;
  return { ...rest, ...(items.length === 0 ? {} : { prefixItems: items }), items: additionalItems };
}

/** Keywords that mean something stricter, or nothing, once another of the same object was dropped. */
function withoutHalves(given: JsonRecord, made: JsonRecord): JsonRecord {
  const isLost = (key: string): boolean => given[key] !== undefined && made[key] === undefined;
  const gone = new Set<string>();
  if (isLost("properties") || isLost("patternProperties")) gone.add("additionalProperties");
  if (isLost("prefixItems")) gone.add("items");
  if (made.if === undefined) for (const key of ["then", "else"]) gone.add(key);
  if (made.contains === undefined || isLost("minContains"))
    for (const key of ["contains", "minContains", "maxContains"]) gone.add(key);
  return Object.fromEntries(Object.entries(made).filter(([key]) => !gone.has(key)));
}

/** What providers take as the name of a property. */
const legalName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Properties whose names no provider takes are told in words; the object stays open for them. */
function withNames(given: JsonRecord, made: JsonRecord, walk: Walk): JsonRecord {
  const properties = isJsonRecord(made.properties) ? Object.entries(made.properties) : [];
  const strange = properties.filter(([name]) => !legalName.test(name));
  const required = Array.isArray(made.required) ? made.required.filter((name) => legalName.test(String(name))) : [];
  const isClosedTo = isJsonRecord(given.properties) && Object.keys(given.properties).length > properties.length;
  const { required: _, additionalProperties, ...rest } = made;
  if (strange.length > 0) walk.loosened += 1;
  const isOpen = strange.length > 0 || isClosedTo;
  return {
    ...rest,
    ...(required.length > 0 ? { required } : {}),
    ...(additionalProperties === undefined || isOpen ? {} : { additionalProperties }),
    ...(strange.length === 0
      ? {}
      : {
          properties: Object.fromEntries(properties.filter(([name]) => legalName.test(name))),
          description: cutWords(
            [made.description, strangeText(strange)]
              .filter((text) => typeof text === "string" && text !== "")
              .join(" "),
            bounds.serverParameterCharsMax,
          ),
        }),
  };
}

function strangeText(strange: readonly (readonly [string, Json | undefined])[]): string {
  // A name that is no sound text cannot be told, and so not be used.
  const each = strange
    .filter(([name]) => serverWords(name) === name)
    .map(([name, schema]) => {
      const { type, description } = isJsonRecord(schema) ? schema : {};
      const kind = typeof type === "string" ? ` (${type})` : "";
      return `${JSON.stringify(name)}${kind}${typeof description === "string" ? `: ${description}` : ""}`;
    });
  return each.length === 0 ? "" : `It also takes, under exactly these names: ${each.join("; ")}`;
}

/** Some providers refuse an array that does not say of what. */
function withItems(made: JsonRecord): JsonRecord {
  const isArray = made.type === "array" || (Array.isArray(made.type) && made.type.includes("array"));
  return isArray && made.items === undefined ? { ...made, items: {} } : made;
}
