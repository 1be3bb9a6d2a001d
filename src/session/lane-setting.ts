import type { Guarded } from "../adapters/guarded.ts";
import type { Serving } from "../adapters/serving.ts";
import type { Session } from "../agent/session.ts";
import type { SessionId } from "../kernel/ids.ts";
import type { Stores } from "../ports/store.ts";
import type { Ids } from "../ports/world.ts";
import type { Described } from "./options.ts";

/** What lanes of a session need of it. */
export type LaneSetting = {
  readonly options: Described;
  readonly parent: Session;
  readonly stores: Stores;
  readonly session: SessionId;
  readonly ids: Ids;
  readonly guarded: Guarded;
  readonly serving: Serving | null;
};
