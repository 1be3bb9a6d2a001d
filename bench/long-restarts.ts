import type { Entry } from "../src/log/entry.ts";
import type { OpenSession } from "../src/session/options.ts";

/** A session that is closed and opened again from its log, as often as it is wanted. */
export type Restarts = {
  session(): OpenSession;
  /** In the middle of the turn that comes: as soon as a tool runs. */
  closeAtNextCall(): void;
  restart(): Promise<void>;
  /** How long each opening took, but for the first. */
  readonly openedMs: readonly number[];
};

export async function restarts(
  open: (resume?: string) => Promise<OpenSession>,
  onEntry: (entry: Entry) => void,
): Promise<Restarts> {
  const openedMs: number[] = [];
  let session = await open();
  let closing: Promise<void> | null = null;
  let closesAtCall = false;
  const listen = () =>
    session.listen((event) => {
      if (event.type !== "entry") return;
      onEntry(event.entry);
      if (event.entry.type !== "tool-started" || !closesAtCall) return;
      closesAtCall = false;
      closing = session.close();
    });
  listen();
  return {
    session: () => session,
    openedMs,
    closeAtNextCall() {
      closesAtCall = true;
    },
    async restart() {
      await (closing ?? session.close());
      closing = null;
      closesAtCall = false;
      const start = performance.now();
      session = await open(session.id);
      openedMs.push(performance.now() - start);
      listen();
    },
  };
}
