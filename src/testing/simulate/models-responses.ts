import type { ResponsesTraits, SimModel } from "./sim-model.ts";

/** Before 5.6: cached in steps, nothing may change in mid-conversation (PROTOCOLS B.2). */
export const olderResponses: ResponsesTraits = {
  cache: "steps",
  instructions: "first",
  updates: false,
  searches: true,
  retentions: ["in_memory", "24h"],
};
const fiveSix: ResponsesTraits = { ...olderResponses, cache: "breakpoints", retentions: [] };
const six: ResponsesTraits = { ...fiveSix, updates: true };
const sixTwo: ResponsesTraits = { ...six, instructions: "last" };

/**
 * The rows of the Responses wire. Older models read the reasoning of the current turn only; all of it counts from 5.6
 * on, and from 6.2 on it is bound to what stands before it (B.3).
 */
export function responsesModels(base: SimModel, someEffort: readonly string[]): readonly SimModel[] {
  const older: SimModel = { ...base, thinking: "turn", responses: olderResponses };
  const kept: SimModel = { ...base, thinking: "kept", responses: fiveSix };
  const always: SimModel = { ...kept, efforts: someEffort, responses: six };
  const bound: SimModel = { ...always, thinking: "bound", responses: sixTwo };
  return [
    ...["gpt-6.2-astra", "gpt-6.2-sol"].map((id) => ({ ...bound, id })),
    ...["gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-astra"].map((id) => ({ ...always, id })),
    ...["gpt-6-sol", "gpt-6-luna"].map((id) => ({ ...kept, id, responses: six })),
    ...["gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"].map((id) => ({ ...kept, id })),
    { ...older, id: "gpt-5.5", responses: { ...olderResponses, retentions: ["24h"] } },
    { ...older, id: "gpt-5.4" },
    { ...older, id: "gpt-5", responses: { ...olderResponses, searches: false } },
    { ...bound, id: "sim-responses", windowTokens: 200_000, outputTokensMax: 32_000 },
    { ...bound, id: "sim-responses-small", windowTokens: 32_000, outputTokensMax: 4_000 },
  ];
}
