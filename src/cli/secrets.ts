import { createMask } from "../secrets/mask.ts";
import { secretValues } from "../secrets/secret-values.ts";

/** Whether what the user typed holds a value of the environment that is secret by its name. */
export function typedSecret(text: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return createMask({ values: secretValues(env, []), shapes: "shown" }).values(text) !== text;
}
