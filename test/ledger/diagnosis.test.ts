import { expect, test } from "vitest";
import { diagnosisOf } from "../../src/ledger/diagnosis.ts";

const none: readonly never[] = [];
const rows: readonly (readonly [name: string, report: unknown, want: unknown])[] = [
  ["nothing beside the answer says nothing", {}, null],
  [
    "a cause that means ours has our name, and keeps the provider's",
    { diagnostics: { cache_miss_reason: { type: "tools_changed", cache_missed_input_tokens: 900 } } },
    { cache: { cause: "tools-changed", said: "tools_changed", tokens: 900 }, dropped: none },
  ],
  ["a null reason is still pending", { diagnostics: { cache_miss_reason: null } }, { cache: "pending", dropped: none }],
  [
    "an answer it no longer knows cannot be compared",
    { diagnostics: { cache_miss_reason: { type: "previous_message_not_found" } } },
    { cache: "not-comparable", dropped: none },
  ],
  ["a hit is said as one", { prompt_cache_diagnostics: { type: "cache_hit" } }, { cache: "hit", dropped: none }],
  [
    "settings that are part of the key are one cause",
    { prompt_cache_diagnostics: { type: "cache_miss", reason: "verbosity_changed", cache_missed_tokens: 5 } },
    { cache: { cause: "key-changed", said: "verbosity_changed", tokens: 5 }, dropped: none },
  ],
  [
    "a reason of tomorrow is kept in its own words",
    { prompt_cache_diagnostics: { type: "cache_miss", reason: "moon_phase", cache_missed_tokens: "many" } },
    { cache: { cause: "other", said: "moon_phase", tokens: null }, dropped: none },
  ],
  [
    "every dropped block is reported, on either wire; what was allowed is not",
    {
      input_transformations: [
        { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
        { type: "thinking_mismatch_allowed", path: "messages.3.content.0", reason: "model_binding_mismatch" },
        { id: "rs_1", type: "reasoning", action: "removed", reason: "prefix_mismatch" },
      ],
    },
    {
      cache: null,
      dropped: [
        { where: "messages.1.content.0", reason: "prefix_binding_mismatch" },
        { where: "rs_1", reason: "prefix_mismatch" },
      ],
    },
  ],
];

test.each(rows)("%s", (_name, report, want) => {
  expect(diagnosisOf(JSON.stringify(report))).toEqual(want);
});

test("a report that cannot be read says nothing", () => {
  expect([diagnosisOf(null), diagnosisOf("{"), diagnosisOf("[]")]).toEqual([null, null, null]);
});
