import { expect } from "vitest";
import { laneReport } from "../../src/agent/context-of.ts";
import type { Session } from "../../src/agent/session.ts";
import type { LedgerRow } from "../../src/ledger/row.ts";
import { cacheRuleOf, toleranceTokens } from "../../src/ledger/rules.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import { createSimulation, type Simulation, type SimulationOptions } from "../../src/testing/simulate/simulation.ts";
import { simulatedModel } from "./simulated-model.ts";
import { stream, type TestWorld, testWorld } from "./world.ts";

type Given = Omit<Parameters<typeof testWorld>[0], "model" | "choice"> & {
  readonly choice: ModelChoice;
  readonly replies: readonly BrainReply[];
  readonly simulated?: Omit<SimulationOptions, "brain">;
};

/** A session of the real agent against the simulator, both on one manual clock, and the two accounts of its requests. */
export type MeteredLane = {
  readonly world: TestWorld;
  readonly simulation: Simulation;
  session: Session;
  /** Takes the session over, as a new process would. */
  reopen(): Promise<void>;
  /**
   * The cause of each answered request as our ledger has it, "none" where there was no miss; it has checked that the
   * simulator recorded the same mechanism for the same request, and the same tokens within the ledger's rounding.
   */
  causes(): Promise<readonly string[]>;
};

export async function meteredLane({ replies, simulated = {}, ...given }: Given): Promise<MeteredLane> {
  const simulation = createSimulation({ ...simulated, brain: scriptedBrain(replies) });
  const world: TestWorld = await testWorld({ ...given, model: simulatedModel(simulation, () => world.clock.now()) });
  const lane: MeteredLane = {
    world,
    simulation,
    session: await world.open(),
    async reopen() {
      lane.session = await world.open(await world.takeOver());
    },
    async causes() {
      const { rows } = await laneReport(
        world.stores.log.read(stream, null),
        { codecFor, getBlob: world.fx.getBlob },
        { prices: {}, windowFor: () => null, now: world.clock.now() },
      );
      const answered = rows.filter(({ ending }) => ending === "received");
      const records = simulation.requests().filter(({ status }) => status === 200);
      expect(answered).toHaveLength(records.length);
      return answered.map((row, at) => sameMiss(row, records[at]));
    },
  };
  return lane;
}

function sameMiss({ miss, model }: LedgerRow, record: SimRecord | undefined): string {
  if (record === undefined || miss === "unknown") throw new Error("an answered request without an account");
  const ours = miss === "none" ? { mechanism: null, tokens: 0, why: "" } : miss;
  expect({ mechanism: ours.mechanism, why: ours.why }).toMatchObject({ mechanism: record.missCause });
  const rounding = toleranceTokens(cacheRuleOf(record.wire, model));
  expect(
    Math.abs(ours.tokens - record.missTokens),
    `${ours.why}: ${ours.tokens} and ${record.missTokens}`,
  ).toBeLessThanOrEqual(rounding);
  return miss === "none" ? "none" : miss.cause;
}
