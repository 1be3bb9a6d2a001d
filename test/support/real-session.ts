import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "../../src/adapters/store-file.ts";
import type { Clock } from "../../src/ports/world.ts";
import { usualModel } from "../../src/provider/usual-model.ts";
import { createSession } from "../../src/session/create-session.ts";
import type { OpenSession, SessionOptions } from "../../src/session/options.ts";
import { createSimulation, type Simulation } from "../../src/testing/simulate/simulation.ts";
import { simulatedModel } from "./simulated-model.ts";
import toldBrain from "./told-brain.ts";
import { call, tell } from "./varve-process.ts";

/** A session as the product writes it, in folders of its own: what tests of damage begin with. */
export type RealSession = {
  readonly work: string;
  /** Holds `sessions/<id>/`; copied, never changed. */
  readonly root: string;
  readonly id: string;
  readonly simulation: Simulation;
  open(root: string, more?: Partial<SessionOptions>): Promise<OpenSession>;
  /** A copy of it to damage. */
  copy(): Promise<string>;
  remove(): Promise<void>;
};

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export const wallClock: Clock = { now: () => Date.now(), sleep: async () => undefined };

const model = "claude-sonnet-5-5";

/** Several turns with reads, images, commands of long and short output, edits and a fold: over 200 entries, so it has a checkpoint. */
export async function realSession(turns: number = 4): Promise<RealSession> {
  const folder = await mkdtemp(join(tmpdir(), "varve-real-"));
  const [work, root] = [join(folder, "work"), join(folder, "root")];
  await mkdir(work, { recursive: true });
  await writeFile(join(work, "long.txt"), Array.from({ length: 400 }, (_, n) => `line ${n} of a file`).join("\n"));
  await writeFile(join(work, "dot.png"), Buffer.from(png, "base64"));
  const simulation = createSimulation({ brain: toldBrain, recordsMax: 50 });
  const options: SessionOptions = {
    model: { ...usualModel(model), outputTokensMax: 8_000 },
    endpoints: {},
    cwd: work,
    userFolder: null,
    mode: "bypassPermissions",
    windows: { [model]: { windowTokens: 60_000 } },
  };
  let copies = 0;
  const open: RealSession["open"] = async (at, more = {}) => {
    const clock = more.world?.clock ?? wallClock;
    const stores = fileStore({ root: at, clock, sync: false });
    const world = { stores, model: simulatedModel(simulation, () => Date.now()), ...more.world };
    return await createSession({ ...options, ...more, world });
  };
  let session = await open(root);
  const { id } = session;
  for (let turn = 0; turn < turns; turn += 1) {
    const ended = await session.prompt(turnText(turn, work));
    if (ended.reason !== "done") throw new Error(`the turn ended as ${ended.reason}: ${ended.detail}`);
    await session.close();
    session = await open(root, { open: { type: "resume", session: id } });
  }
  await session.close();
  return {
    work,
    root,
    id,
    simulation,
    open: (at, more) => open(at, { open: { type: "resume", session: id }, ...more }),
    async copy() {
      copies += 1;
      const to = join(folder, `copy${copies}`);
      await cp(root, to, { recursive: true });
      return to;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function turnText(turn: number, work: string): string {
  const steps = Array.from({ length: 12 }, (_, step) => ({
    reasoning: `turn ${turn}, step ${step}`,
    text: `step ${step}`,
    ...(step % 3 === 0 ? call("Read", { path: join(work, "long.txt") }) : {}),
    ...(step % 3 === 1 ? call("Bash", { command: `seq 1 ${300 + turn * 10 + step}` }) : {}),
    ...(step % 3 === 2
      ? call(
          step === 2 ? "Read" : "Bash",
          step === 2 ? { path: join(work, "dot.png") } : { command: `echo ${turn}.${step}` },
        )
      : {}),
  }));
  return tell(...steps, { text: `turn ${turn} is done` });
}
