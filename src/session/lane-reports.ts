import type { AgentConfig } from "../agent/config.ts";
import { type LaneReport, laneReport } from "../agent/context-of.ts";
import { laneNamed } from "../agent/lane-choices.ts";
import type { Session } from "../agent/session.ts";
import type { LedgerRow } from "../ledger/row.ts";
import type { Stores } from "../ports/store.ts";
import type { Clock } from "../ports/world.ts";
import type { LaneStream } from "./start.ts";

/** What the logs of an open session say: of its main lane, and of the lanes it started. */
export function laneReports(open: {
  readonly session: Pick<Session, "state">;
  readonly config: AgentConfig;
  readonly stores: Stores;
  readonly stream: LaneStream;
  readonly clock: Clock;
}): { report(): Promise<LaneReport>; laneRows(): Promise<readonly LedgerRow[]> } {
  const { session, config, stores, stream, clock } = open;
  const reportOf = (of: LaneStream) => {
    const getBlob = async (hash: Parameters<Stores["blobs"]["get"]>[1]) => {
      const bytes = await stores.blobs.get(of, hash);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    };
    const { prices, windowFor, codecFor } = config;
    const log = stores.log.read(of, null);
    return laneReport(log, { codecFor, getBlob }, { prices, windowFor, now: clock.now() });
  };
  return {
    report: () => reportOf(stream),
    async laneRows() {
      const rows: LedgerRow[] = [];
      for (let at = 1; at <= session.state().lanes.started; at += 1)
        rows.push(...(await reportOf({ ...stream, lane: laneNamed(at) })).rows);
      return rows;
    },
  };
}
