import type { EntryBody } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { Effects } from "./effects.ts";
import { learned, touchedIn } from "./knowledge.ts";
import type { TextCache } from "./texts.ts";

/** Servers that come, change or go while a turn is under way: the next request says so, behind all that was sent (M-20). */
export type ServerNews = { close(): Promise<void> };

export function createServerNews(
  fx: Pick<Effects, "servers" | "knowledge" | "note">,
  lane: {
    readonly state: () => State;
    readonly texts: TextCache;
    readonly active: () => boolean;
    readonly post: (entries: readonly EntryBody[]) => Promise<void>;
  },
): ServerNews {
  let looking: Promise<void> | null = null;
  let isStale = false;
  const look = async (): Promise<void> => {
    while (isStale && lane.active()) {
      isStale = false;
      const state = lane.state();
      const entries = await learned(state, fx, lane.texts, { message: null, touched: touchedIn(state) });
      if (entries.length > 0 && lane.active()) await lane.post(entries);
    }
  };
  const stop = fx.servers?.onChange(() => {
    isStale = true;
    // Between turns the next message looks by itself.
    if (!lane.active() || looking !== null) return;
    // A full disk: the run ends with it, and the next message looks again.
    looking = look()
      .catch(() => {})
      .finally(() => {
        looking = null;
      });
  });
  return {
    async close() {
      stop?.();
      await looking;
    },
  };
}
