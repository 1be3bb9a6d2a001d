import { createMask, type Mask } from "../secrets/mask.ts";
import { secretValues } from "../secrets/secret-values.ts";

/** Masks the secrets of our environment; `shapes`: and what looks like a token. */
export function environmentMask(shapes: "masked" | "shown"): Mask {
  return createMask({ values: secretValues(process.env, []), shapes });
}
