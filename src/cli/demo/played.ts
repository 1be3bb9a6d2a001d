import type { ModelChoice } from "../../log/entry.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../testing/simulate/spawn.ts";
import { type Browser, browserServer } from "./browser-server.ts";
import { type Performed, perform, windowWithoutEnd } from "./perform.ts";
import type { Sample } from "./sample.ts";

type Play = {
  readonly sample: Sample;
  readonly model: ModelChoice;
  readonly windowTokens: number;
  readonly browser: Browser | null;
  /** Where the browser keeps its files. */
  readonly output: string;
  readonly work: string;
  readonly home: string;
  readonly reductions: "on" | "off";
  readonly onLine: (line: string) => void;
  /** null: a simulator of its own, ended with the run. */
  readonly url: string | null;
};

/** One run, with a simulator of its own unless there is one. */
export async function played({ url, sample, browser, output, ...rest }: Play): Promise<Performed> {
  const window = String(rest.reductions === "on" ? rest.windowTokens : windowWithoutEnd);
  const simulator: SpawnedSimulator | null =
    url === null ? await spawnSimulator(["--brain", sample.brain, "--window", window]) : null;
  const tools = rest.reductions === "on" ? "found" : "declared";
  const servers = browser === null ? [] : [browserServer(browser, { cwd: rest.work, output, tools })];
  try {
    const address = (url ?? simulator?.url ?? "").replace(/(\/v1)?\/*$/, "");
    return await perform({
      ...rest,
      url: address,
      tasks: sample.tasks,
      servers,
    });
  } finally {
    await simulator?.stop();
  }
}
