import { canonicalJson, isRecord, type Json } from "../kernel/canonical.ts";
import { isTooDeep, tooDeep } from "../kernel/json.ts";

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

/** A server's schema as every provider takes it (CASES C-047). */
export function declaredSchema(given: Json | undefined): DeclaredSchema {
  if (isTooDeep(given)) return { type: "bad", why: `its schema is ${tooDeep}` };
  const root = given ?? {};
  if (!isRecord(root)) return { type: "bad", why: "its schema is no object" };
  if (root.type !== undefined && root.type !== null && root.type !== "object")
    return { type: "bad", why: "its input is no object" };
  const properties = isRecord(root.properties) ? root.properties : {};
  // The proof: `given` is JSON, and so is what it was made of.
  const schema = { ...root, type: "object", properties } as Json;
  return { type: "ok", inputSchema: canonicalJson(schema), said: [], repairs: [] };
}
