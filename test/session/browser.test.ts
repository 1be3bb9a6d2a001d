import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { exactCounter } from "../../src/budget/exact.ts";
import { browserHere } from "../../src/cli/demo/browser-server.ts";
import { UsageError } from "../../src/cli/exit.ts";
import { mainLane } from "../../src/kernel/ids.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { OpenSession } from "../../src/session/options.ts";
import type { Brain, BrainPart } from "../../src/testing/simulate/brain.ts";
import { ordersLabels, serveOrders } from "../support/orders-page.ts";
import { modelsOfServers, movedIn, type ServerPlace, serverPlace, using } from "../support/server-session.ts";
import { entryOf, realLaunch } from "../support/stub-servers.ts";
import toldBrain from "../support/told-brain.ts";
import { call, tell } from "../support/varve-process.ts";

/** Playwright MCP with a real browser in whole sessions: a large page is looked at, and pressed by what was shown of it. */

const chromium = chromiumHere();
if (chromium === null)
  console.warn("SKIPPED: no chromium here; Playwright MCP is not run in a session (apt-get install chromium)");

type Way = (typeof modelsOfServers)[number][2];

/** Opens the page that was named, presses the button that was named by the ref it is shown with, looks again and says what it sees. */
const presses =
  (way: Way): Brain =>
  (request) => {
    const parts = request.messages.flatMap(({ role, parts: list }) => list.map((part) => ({ role, part })));
    const at = parts.findLastIndex(
      ({ role, part }) => role === "user" && textIn(part) !== "" && !textIn(part).startsWith("<system-reminder>"),
    );
    const typed = textIn(parts[at]?.part);
    const [, url = "", button = ""] = /On (\S+) press "([^"]+)"/.exec(typed) ?? [];
    if (url === "") return toldBrain(request);
    const seen = parts.slice(at).flatMap(({ part }) => (part.type === "result" ? [part.text] : []));
    const look = { text: "I look.", ...using(way, "mcp__browser__browser_snapshot", {}) };
    const steps = [
      () => call("ToolSearch", { query: "select:browser_navigate,browser_snapshot,browser_click" }),
      () => using(way, "mcp__browser__browser_navigate", { url }),
      () => look,
      () => {
        const [ref] = refsOf(plain(seen.at(-1) ?? ""), button);
        if (ref === undefined) return { text: `I do not see ${button}.` };
        return using(way, "mcp__browser__browser_click", { element: button, target: ref });
      },
      () => look,
    ];
    const said = /Pressed: [\w ]+/.exec(seen.at(-1) ?? "")?.[0];
    return steps[seen.length]?.() ?? { text: said ?? "Nothing happened." };
  };

function textIn(part: BrainPart | undefined): string {
  return part?.type === "text" ? part.text : "";
}

describe.skipIf(chromium === null)("Playwright MCP in a session", () => {
  let place: ServerPlace;
  let web: Awaited<ReturnType<typeof serveOrders>>;
  beforeAll(async () => {
    web = await serveOrders();
  });
  afterAll(() => web.end());
  afterEach(async () => {
    await place.end();
    expect(place.alive()).toEqual([]);
  });

  test.each(modelsOfServers)(
    "%s with %s: a large page is shown in part, any label brings its ref, and the named button is pressed from what is shown",
    async (_wire, model, way) => {
      place = serverPlace(model, presses(way));
      const args = ["--headless", "--no-sandbox", "--isolated", "--executable-path", chromium ?? ""];
      const launch = place.watched("browser", realLaunch("playwright-mcp", args, place.folder));
      const session = await place.open([entryOf("browser", launch, 60_000)]);
      for (const button of ["Export as CSV", "Refund order 4217"]) {
        const turn = await session.prompt(`On ${web.url} press "${button}".`);
        expect(turn).toMatchObject({ reason: "done", text: `Pressed: ${button}` });
      }
      expect(movedIn(place.simulation.requests())).toEqual([]);
      const forms = resultsOf(place);
      const pages = await pagesOf(place, session);
      const tokens = await exactCounter();
      // The first look at the page, and the first one after it was loaded again.
      for (const [page, form] of [[pages[0], forms[2]] as const, [pages[2], forms[7]] as const]) {
        const rawTokens = tokens(page?.raw ?? "");
        expect(rawTokens).toBeGreaterThan(20_000);
        expect(tokens(form ?? "") / rawTokens).toBeLessThanOrEqual(0.15);
      }
      const { raw, handle } = pages[0] ?? { raw: "", handle: "" };
      const sample = ordersLabels.filter((_, n) => n % Math.floor(ordersLabels.length / 30) === 0);
      expect(sample.length).toBeGreaterThanOrEqual(30);
      const refs = sample.map((label) => refsOf(raw, label)[0] ?? "no such label");
      const searches = [...sample, ...refs.map((ref) => `[ref=${ref}]`)];
      const calls = searches.map((search) => ({ tool: "recall", input: { handle, search } }));
      await session.prompt(tell({ calls }, { text: "Seen." }));
      const found = resultsOf(place).slice(-searches.length);
      expect(found.map((text, n) => refsOf(text, sample[n % sample.length] ?? ""))).toEqual(
        [...refs, ...refs].map((ref) => [ref]),
      );
      await session.close();
      expect(place.alive()).toEqual([]);
    },
  );
});

/** As the newest request shows them, in order. */
function resultsOf({ shown }: ServerPlace): readonly string[] {
  return shown().flatMap(({ kind, text }) => (kind === "result" ? [plain(text)] : []));
}

/** The snapshots of whole pages, as they came. */
async function pagesOf({ stores }: ServerPlace, session: OpenSession) {
  const stream = { type: "lane", session: session.id, lane: mainLane } as const;
  const read = async (text: string | { readonly blob: Parameters<typeof stores.blobs.get>[1] }) =>
    typeof text === "string" ? text : Buffer.from((await stores.blobs.get(stream, text.blob)) ?? "").toString("utf8");
  const kept = [...itemsOf(session.state().originals)];
  const pages = kept.map(async ({ handle, text }) => ({ handle, raw: await read(text) }));
  return (await Promise.all(pages)).filter(({ raw }) => raw.includes("### Snapshot\n```yaml"));
}

/** Refs of the elements of that name. */
function refsOf(page: string, label: string): readonly (string | undefined)[] {
  const lines = page.split("\n").filter((line) => line.includes(` "${label}" [ref=`));
  return lines.map((line) => /\[ref=(\w+)\]/.exec(line)?.[1]);
}

/** As it is written, where the wire has results as JSON. */
function plain(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll("\\", "");
}

function chromiumHere(): string | null {
  try {
    return browserHere().chromium;
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
