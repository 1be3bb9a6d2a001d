/**
 * The context engine alone: what the agent, a proxy or a benchmark share (docs/ARCHITECTURE.md). Pure functions over
 * request bodies and segments; no platform module but hashing, no package.
 */
export { estimate } from "./budget/count.ts";
export { firstForm, firstFormBy } from "./digest/first-form.ts";
export type { FirstForm, FormInput, FormRules } from "./digest/form.ts";
export type { Usage, Wire } from "./kernel/usage.ts";
export { apply } from "./prompt/apply.ts";
export { chainHashes } from "./prompt/chain.ts";
export { memoryFormStore } from "./prompt/form-store.ts";
export type { Edit, FormStore, Segment, SegmentKind } from "./prompt/segment.ts";
export { automaticOf, limitMarks, marksOf } from "./provider/anthropic/marks.ts";
export { BodyError } from "./provider/body-error.ts";
export type { Codec, Mark } from "./provider/codec.ts";
export { codecFor } from "./provider/codecs.ts";
export { assumedPrices, type Costs, isCertainlyCold } from "./reduction/costs.ts";
export type { Memo } from "./reduction/memo.ts";
export { type Plan, plan } from "./reduction/plan.ts";
