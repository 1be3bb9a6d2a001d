/**
 * What a skill or a command says of tools, as rules are written. `allowed` null: all of them; [] none. What stands here was
 * read without a fault, so it can be read again.
 */
export type ToolLimits = { readonly allowed: readonly string[] | null; readonly disallowed: readonly string[] };

/** `grants`: whether what it lists runs unasked, too: not before its project is trusted, nor where the model chose it. */
export type AttachedLimits = ToolLimits & { readonly grants: boolean };
