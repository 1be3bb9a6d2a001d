export type { Compacted } from "./agent/compact-choices.ts";
export type { SessionEvent } from "./agent/config.ts";
export type { Answer, Question } from "./agent/effects.ts";
export type { Refused } from "./agent/refused.ts";
export type { Session, TurnResult } from "./agent/session.ts";
export type { CompactionPreview } from "./agent/summary-forecast.ts";
export type { Undone } from "./agent/undo.ts";
export {
  createSession,
  type Endpoint,
  type OpenSession,
  SessionOpenError,
  type SessionOptions,
} from "./create-session.ts";
export type { Entry, EntryBody, ModelChoice, PermissionMode, TurnEnd } from "./log/entry.ts";
export type { State } from "./log/state.ts";
export type { SummaryScope } from "./log/summary.ts";
export type { ListedModel } from "./provider/listed-model.ts";
export { version } from "./version.ts";
