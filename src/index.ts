export type { SessionEvent } from "./agent/config.ts";
export type { Answer, Question } from "./agent/effects.ts";
export type { Session, TurnResult } from "./agent/session.ts";
export {
  createSession,
  type Endpoint,
  type OpenSession,
  SessionOpenError,
  type SessionOptions,
} from "./create-session.ts";
export type { Entry, EntryBody, ModelChoice, PermissionMode, TurnEnd } from "./log/entry.ts";
export type { State } from "./log/state.ts";
export type { ListedModel } from "./provider/listed-model.ts";
export { version } from "./version.ts";
