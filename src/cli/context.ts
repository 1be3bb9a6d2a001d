import { budgetFile } from "../adapters/context-budget.ts";
import { laneReport } from "../agent/context-of.ts";
import { moneyText } from "../budget/prices.ts";
import { own } from "../kernel/own.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import { contextText } from "../ledger/context-text.ts";
import type { LedgerRow } from "../ledger/row.ts";
import { codecFor } from "../provider/codecs.ts";
import type { ContextBudget } from "../workspace/context-budget.ts";
import { knownTools } from "../workspace/rule.ts";
import { capRows, capsText } from "./context-caps.ts";
import { CommandError, exitCodes } from "./exit.ts";
import { blobReader, mainStream, sessionNamed, viewHome } from "./home.ts";
import { readModelsFile } from "./models-file.ts";
import { homeOf, positive } from "./settings.ts";

const requestsShown = 12;

/** `varve context`: what fills the window, by category and by item, and the newest requests with the cause of each miss. */
export async function runContext(
  name: string | undefined,
  flags: { readonly json?: boolean; readonly window?: string },
): Promise<number> {
  const home = await viewHome(homeOf(process.env), process.cwd());
  const session = await sessionNamed(home, name);
  const stream = mainStream(session);
  const windowTokens = positive("--window", flags.window);
  const settings = await readModelsFile(home.root);
  const report = await laneReport(
    home.stores.log.read(stream, null),
    { codecFor, getBlob: blobReader(home, stream) },
    {
      prices: { overrides: settings.prices },
      windowFor: (model) => (windowTokens === undefined ? (own(settings.windows, model) ?? null) : { windowTokens }),
      now: Date.now(),
    },
  );
  if (report.view === null) throw new CommandError(`session ${session} has sent nothing yet`);
  const budget = await budgetIn(report.state.started?.cwd ?? home.cwd);
  const caps = capRows(report.view, report.state, budget);
  if (flags.json === true) {
    const shown = { file: budget !== null, caps, faults: budget?.faults ?? [] };
    process.stdout.write(`${JSON.stringify({ session, ...report.view, budget: shown, requests: report.rows })}\n`);
    return exitCodes.done;
  }
  const color = process.stdout.isTTY && process.env.NO_COLOR === undefined;
  process.stdout.write(contextText(report.view, { width: process.stdout.columns ?? 80, color }));
  process.stdout.write(capsText(caps, budget));
  const shown = report.rows.slice(-requestsShown);
  process.stdout.write(`\nRequests ${report.rows.length - shown.length + 1} to ${report.rows.length}\n`);
  for (const row of shown) process.stdout.write(`${requestLine(row)}\n`);
  return exitCodes.done;
}

/** As it stands on disk now, where the session works. */
async function budgetIn(cwd: string): Promise<ContextBudget | null> {
  const file = budgetFile(cwd, () => [...knownTools]);
  await file.look();
  return file.now();
}

function requestLine(row: LedgerRow): string {
  const step = `${String(row.step).padStart(4)}${row.attempt > 1 ? `.${row.attempt}` : "  "}`;
  if (row.reported === "unknown") return `${step}  ${row.failure ?? "usage unknown"}`;
  const prompt = promptTokensOf(row.reported);
  const share = prompt === 0 ? 0 : Math.round((row.reported.cacheRead * 100) / prompt);
  const miss = row.miss === "none" || row.miss === "unknown" ? "" : missText(row.miss);
  return `${step}  ${prompt.toLocaleString("en-US").padStart(9)} tokens, ${String(share).padStart(3)} % read, ${moneyText(row.cost)}${clearedText(row)}${miss}${saidText(row)}`;
}

function clearedText({ cleared }: LedgerRow): string {
  if (cleared === null) return "";
  return `  the provider cleared ${cleared.results} results (${cleared.tokens.toLocaleString("en-US")})`;
}

/** The provider's own word, where it adds to ours. */
function saidText({ diagnosis, miss }: LedgerRow): string {
  if (diagnosis === null) return "";
  const { cache, dropped } = diagnosis;
  const own = miss === "none" || miss === "unknown" ? null : miss.cause;
  const said = cache !== null && typeof cache === "object" && cache.cause !== own ? `  provider: ${cache.said}` : "";
  const reasons = [...new Set(dropped.map(({ reason }) => reason))].join(", ");
  return dropped.length === 0 ? said : `${said}  ${dropped.length} reasoning blocks dropped (${reasons})`;
}

function missText(miss: Exclude<LedgerRow["miss"], string>): string {
  const later = miss.delayMs !== null && miss.delayMs > 0 ? `, first token ${miss.delayMs} ms later` : "";
  return `  missed ${miss.tokens.toLocaleString("en-US")} (${moneyText(miss.cost)}${later}): ${miss.why}`;
}
