import type { Panel } from "./chart.ts";
import { acrossOf, thinned } from "./chart-columns.ts";
import { fitted } from "./chart-text.ts";
import { element, label, type Markup } from "./svg-element.ts";
import { legend, legendHeight } from "./svg-legend.ts";
import { windowPlot } from "./svg-plot.ts";
import { cacheStrip, callAxis, lossStrip } from "./svg-strips.ts";
import { boldWidth, letters, sheet } from "./svg-style.ts";

export type Drawn = { readonly markup: Markup; readonly height: number };

/** One session: what it is, one sentence, the window, below it what the cache did, and beside it what the colours mean. */
export function panelDrawing(panel: Panel, top: number): Drawn {
  const { left, right, plotWidth } = sheet;
  const columns = thinned(panel.columns, columnsMax);
  const head = [
    label(fitted(panel.title, right - left, letters.heading * boldWidth), { x: left, y: top + 16 }, "t2"),
    label(fitted(panel.facts, right - left, letters.normal), { x: left, y: top + 35 }, "muted"),
    label(fitted(panel.reading, right - left, letters.reading), { x: left, y: top + 57 }, "t3"),
  ];
  if (columns.length === 0) return { markup: group(panel, head), height: headHeight };
  const across = acrossOf(panel.columns, sheet.plotLeft, plotWidth);
  const box = (y: number, height: number) => ({ x: sheet.plotLeft, y: top + y, width: plotWidth, height });
  const parts = [
    ...head,
    ...windowPlot(panel, columns, across, box(plotTop, 250)),
    ...cacheStrip(columns, across, box(plotTop + 264, 40)),
    ...lossStrip(panel.losses, columns, across, box(plotTop + 318, 50)),
    ...callAxis(columns, across, box(plotTop + 368, 40)),
    ...legend(panel, { x: sheet.legendLeft, y: top + plotTop }),
  ];
  return { markup: group(panel, parts), height: plotTop + Math.max(408, legendHeight(panel)) };
}

/** Two pixels each: more could not be told apart, and the file stays small. */
const columnsMax = 400;
const headHeight = 64;
const plotTop = 92;

function group({ title, reading }: Panel, parts: readonly Markup[]): Markup {
  return element("g", { role: "group", "aria-label": `${title}. ${reading}` }, ...parts);
}
