import { parentEnvironment } from "../../adapters/environment.ts";
import { laneReport } from "../../agent/context-of.ts";
import type { TurnResult } from "../../agent/session.ts";
import { createSession, type SessionOptions } from "../../create-session.ts";
import { isRecord } from "../../kernel/canonical.ts";
import type { SessionId } from "../../kernel/ids.ts";
import { parseJson } from "../../kernel/json.ts";
import type { ModelChoice } from "../../log/entry.ts";
import { codecFor } from "../../provider/codecs.ts";
import type { SimRecord } from "../../testing/simulate/records.ts";
import { blobReader, mainStream, openHome } from "../home.ts";
import { onInterrupt } from "../print.ts";
import { progressLine } from "../progress.ts";
import type { Run } from "./report.ts";

export type Performance = {
  readonly work: string;
  readonly home: string;
  /** Address of the simulator, without the wire's own path. */
  readonly url: string;
  readonly model: ModelChoice;
  readonly windowTokens: number;
  readonly task: string;
  /** `off`: results whole, and a window so large that nothing is ever folded. */
  readonly reductions: "on" | "off";
  readonly onLine: (line: string) => void;
};

export type Performed = {
  readonly turn: TurnResult;
  readonly session: SessionId;
  readonly run: Run;
  readonly redone: number;
};

const windowWithoutEnd = 10_000_000;

/** One session of the product against the simulator: the same code and SDKs as against the real service. */
export async function perform(what: Performance): Promise<Performed> {
  const { work, home, url, model, reductions } = what;
  const before = (await recordsOf(url)).at(-1)?.n ?? 0;
  const opened = await openHome(home, work);
  const { stores, project } = opened;
  const session = await createSession({
    model,
    endpoints: { [model.wire]: { apiKey: "simulated", baseUrl: model.wire === "chat" ? `${url}/v1` : url } },
    cwd: work,
    home,
    project,
    mode: "bypassPermissions",
    window: { windowTokens: reductions === "on" ? what.windowTokens : windowWithoutEnd },
    world: { stores, env: quietEnvironment(), ...(reductions === "on" ? {} : { firstForm: whole }) },
  });
  let redone = 0;
  session.listen((event) => {
    const line = progressLine(event);
    if (line !== null && line !== "") what.onLine(line);
    if (event.type !== "entry" || event.entry.type !== "response-received") return;
    redone += event.entry.blocks.filter(
      (block) => block.type === "text" && String(block.text).includes("[redone:"),
    ).length;
  });
  const unhook = onInterrupt(session);
  try {
    const turn = await session.prompt(what.task);
    if (turn.text !== "") what.onLine(turn.text);
    const stream = mainStream(session.id);
    const report = await laneReport(
      stores.log.read(stream, null),
      { codecFor, getBlob: blobReader(opened, stream) },
      { prices: {}, windowFor: () => ({ windowTokens: what.windowTokens }), now: 0 },
    );
    const records = (await recordsOf(url)).filter((record) => record.n > before);
    return { turn, session: session.id, redone, run: { model: model.model, records, rows: report.rows } };
  } finally {
    unhook();
    await session.close();
  }
}

const whole: NonNullable<NonNullable<SessionOptions["world"]>["firstForm"]> = ({ text }) => ({ whole: true, text });

/** The sample's tools print plain text, whatever terminal or CI the demo runs in. */
function quietEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...parentEnvironment(), NO_COLOR: "1", FORCE_COLOR: undefined, CI: undefined };
}

/** What the simulator saw, oldest first. */
async function recordsOf(url: string): Promise<readonly SimRecord[]> {
  const response = await fetch(`${url}/_sim/requests`);
  const parsed = parseJson(await response.text());
  const list = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.requests : null;
  if (!Array.isArray(list)) throw new Error(`${url} is no simulator: it has no list of requests`);
  // The proof is the simulator's own: it prints its records, and both sides are of one version.
  return list as readonly SimRecord[];
}
