import { parentEnvironment } from "../../adapters/environment.ts";
import { noReductions } from "../../agent/reductions.ts";
import type { Session, TurnResult } from "../../agent/session.ts";
import type { SessionId } from "../../kernel/ids.ts";
import type { Wire } from "../../kernel/usage.ts";
import type { ModelChoice } from "../../log/entry.ts";
import { createSession } from "../../session/create-session.ts";
import type { SessionOptions } from "../../session/options.ts";
import { blobReader, mainStream, openHome } from "../home.ts";
import { onInterrupt } from "../print.ts";
import { progressLine } from "../progress.ts";
import type { Task } from "./plan.ts";
import { recordsOf } from "./records.ts";
import type { DemoTurn, Run } from "./report.ts";
import { sessionRows } from "./session-rows.ts";

export type Performance = {
  readonly work: string;
  readonly home: string;
  /** Address of the simulator, without the wire's own path. */
  readonly url: string;
  readonly model: ModelChoice;
  readonly windowTokens: number;
  /** Asked one after the other in one session. */
  readonly tasks: readonly [Task, ...Task[]];
  /** MCP servers of the session. Default: none. */
  readonly servers?: SessionOptions["servers"];
  /** `off`: results whole, and a window so large that nothing is ever folded. */
  readonly reductions: "on" | "off";
  readonly onLine: (line: string) => void;
};

export type Performed = {
  /** The last turn; a turn that is not done is the last. */
  readonly turn: TurnResult;
  readonly turns: readonly DemoTurn[];
  readonly session: SessionId;
  readonly run: Run;
  readonly redone: number;
};

/** What no session of the demo comes near to. */
export const windowWithoutEnd = 10_000_000;

/** Where the wire's own paths begin at the simulator. */
const pathOf: Readonly<Record<Wire, string>> = { anthropic: "", chat: "/v1", responses: "/v1", gemini: "" };

/** One session of the product against the simulator: the same code and SDKs as against the real service. */
export async function perform(what: Performance): Promise<Performed> {
  const { work, home, url, model, reductions } = what;
  const before = (await recordsOf(url)).at(-1)?.n ?? 0;
  const opened = await openHome(home, work);
  const { stores, project } = opened;
  const session = await createSession({
    model,
    endpoints: { [model.wire]: { apiKey: "simulated", baseUrl: `${url}${pathOf[model.wire]}` } },
    cwd: work,
    home,
    // What the user keeps for agents would change what is compared.
    userFolder: null,
    project,
    servers: what.servers ?? [],
    mode: "bypassPermissions",
    ...(reductions === "on" ? {} : { reductions: noReductions }),
    window: { windowTokens: reductions === "on" ? what.windowTokens : windowWithoutEnd },
    world: { stores, env: quietEnvironment(), ...(reductions === "on" ? {} : { firstForm: whole }) },
  });
  let redone = 0;
  let steps = 0;
  session.listen((event) => {
    const line = progressLine(event);
    if (line !== null && line !== "") what.onLine(line);
    if (event.type !== "entry" || event.entry.type !== "response-received") return;
    steps += 1;
    redone += event.entry.blocks.filter(
      (block) => block.type === "text" && String(block.text).includes("[redone:"),
    ).length;
  });
  const unhook = onInterrupt(session);
  try {
    const { turn, turns } = await askEach(session, what, () => steps);
    const stream = mainStream(session.id);
    const told = await sessionRows(() => stores.log.read(stream, null), {
      getBlob: blobReader(opened, stream),
      windowTokens: what.windowTokens,
    });
    const records = (await recordsOf(url)).filter((record) => record.n > before);
    return { turn, turns, session: session.id, redone, run: { model: model.model, records, ...told } };
  } finally {
    unhook();
    await session.close();
  }
}

/** One prompt after the other, as a person would; what is not done is not built upon. */
async function askEach(
  session: Session,
  { tasks, onLine }: Performance,
  stepsSoFar: () => number,
): Promise<Pick<Performed, "turn" | "turns">> {
  const [first, ...more] = tasks;
  const ask = async ({ message }: Task) => {
    onLine(`\nThe task: ${message}\n`);
    const turn = await session.prompt(message);
    if (turn.text !== "") onLine(turn.text);
    return turn;
  };
  let turn = await ask(first);
  const turns = [{ task: first.id, steps: stepsSoFar() }];
  for (const task of more) {
    if (turn.reason !== "done") break;
    const before = stepsSoFar();
    turn = await ask(task);
    turns.push({ task: task.id, steps: stepsSoFar() - before });
  }
  return { turn, turns };
}

const whole: NonNullable<NonNullable<SessionOptions["world"]>["firstForm"]> = ({ text }) => ({ whole: true, text });

/** The sample's tools print plain text, whatever terminal or CI the demo runs in. */
function quietEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...parentEnvironment(), NO_COLOR: "1", FORCE_COLOR: undefined, CI: undefined };
}
