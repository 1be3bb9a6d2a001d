/** Branded ids. A brand costs nothing at run time and stops one id from standing in for another. */
type Brand<T, B extends string> = T & { readonly __brand: B };

/** Names a session's folder: `[0-9a-z-]`, sortable by time of creation. */
export type SessionId = Brand<string, "SessionId">;
/** Names a lane in a session: `main`, or a sub-agent's. */
export type LaneId = Brand<string, "LaneId">;
/** Names one model request, all its attempts apart: one id per attempt. */
export type RequestId = Brand<string, "RequestId">;
/** Names one tool call. Non-empty, stable, ours when the provider gave none (CASES C-023). */
export type CallId = Brand<string, "CallId">;
/** Names a project: a random id kept beside its version control (DESIGN 5). */
export type ProjectId = Brand<string, "ProjectId">;
/** Lower-case hex SHA-256, 64 characters. */
export type Hash = Brand<string, "Hash">;
/** What the model and the user call an original that is not fully shown: `[a-z0-9]+`. */
export type Handle = Brand<string, "Handle">;

/** Names a fact by its words: the same fact has the same id in every session and project. */
export type FactId = Brand<string, "FactId">;

export const mainLane: LaneId = brand("main");

/**
 * The one place where a plain string becomes a branded id.
 * The caller vouches for it: it was made by `Ids`, read from our own log, or checked by a codec.
 */
export function brand<B extends string>(text: string): Brand<string, B> {
  // The proof is the contract above: brands exist only in types, any string is a valid carrier.
  return text as Brand<string, B>;
}
