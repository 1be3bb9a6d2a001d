import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";
import type { Walk } from "./schema-keywords.ts";
import { cleanedSchema } from "./schema-node.ts";
import { isJsonRecord, type JsonRecord } from "./schema-ref.ts";
import { objectSchema } from "./schema-root.ts";

export type DeclaredSchema =
  | {
      readonly type: "ok";
      /** Canonical JSON text of an object schema. */
      readonly inputSchema: string;
      /** What the schema can no longer say, as sentences for the tool's description. */
      readonly said: readonly string[];
      /** What was repaired, for people. */
      readonly repairs: readonly string[];
    }
  | { readonly type: "bad"; readonly why: string };

/**
 * A server's schema as every provider takes it (CASES C-047): an object at its root, without what some refuse. It takes all
 * that the server's own takes; what is given in a call is checked against the server's own.
 */
export function declaredSchema(given: Json | undefined): DeclaredSchema {
  if (isTooDeep(given)) return { type: "bad", why: `its schema is ${tooDeep}` };
  const root = given ?? {};
  if (root !== true && !isJsonRecord(root)) return { type: "bad", why: "its schema is no JSON Schema of an object" };
  for (const depthMax of depths) {
    const made = atDepth(root === true ? {} : root, depthMax);
    if (made === "too-long") continue;
    if (made.type === "bad" || made.inputSchema.length <= bounds.schemaCharsMax) return made;
  }
  return { type: "bad", why: `its schema has more than ${bounds.schemaCharsMax} characters, however shortened` };
}

/** A schema that is too long is tried again without its inner parts. */
const depths = [bounds.schemaDepthMax, 4, 2, 1];

function atDepth(root: JsonRecord, depthMax: number): DeclaredSchema | "too-long" {
  const walk: Walk = { root, depthMax, repairs: new Set(), nodes: 0, loosened: 0 };
  const cleaned = cleanedSchema(withProperties(root, walk), walk);
  if (walk.nodes > bounds.schemaNodesSeenMax) return "too-long";
  const made = objectSchema(cleaned);
  if (made.type === "bad") return made;
  const said = depthMax === bounds.schemaDepthMax ? made.said : [...made.said, shortenedText];
  return { type: "ok", inputSchema: canonicalJson(made.schema), said, repairs: [...walk.repairs] };
}

const shortenedText = "Its input has inner parts that are not described here.";

/** A list or a text in the place of properties says nothing: the tool can be called all the same. */
function withProperties(root: JsonRecord, walk: Walk): JsonRecord {
  const { properties, ...rest } = root;
  if (properties === undefined || properties === null || isJsonRecord(properties)) return root;
  walk.repairs.add("its properties are no object");
  return rest;
}
