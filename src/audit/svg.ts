import type { Panel } from "./chart.ts";
import { type PictureOptions, pictureOf } from "./chart-picture.ts";
import { fitted } from "./chart-text.ts";
import type { AuditReport } from "./report.ts";
import { barsDrawing } from "./svg-bars.ts";
import { element, joined, label, line, type Markup, rectangle } from "./svg-element.ts";
import { type Drawn, panelDrawing } from "./svg-panel.ts";
import { boldWidth, letters, sheet, styleSheet } from "./svg-style.ts";

/** With this every picture of ours begins: a file that does not is somebody else's. */
export const pictureMark = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- varve audit -->\n';

/**
 * The window over time as an SVG that stands by itself: no script, no reference to anything outside. The same report
 * gives the same bytes.
 */
export function windowSvg(report: AuditReport, options: PictureOptions = {}): string {
  const picture = pictureOf(report, options);
  const head = [
    label(fitted(picture.title, sheet.right - sheet.left, letters.title * boldWidth), { x: sheet.left, y: 46 }, "t1"),
    label(fitted(picture.subtitle, sheet.right - sheet.left, letters.normal), { x: sheet.left, y: 68 }, "muted"),
    ...picture.notes.map((note, index) =>
      label(fitted(note, sheet.right - sheet.left, letters.normal), { x: sheet.left, y: 88 + index * 18 }, "muted"),
    ),
  ];
  const drawings = [
    ...(picture.bars === null ? [] : [picture.bars].map((bars) => (top: number) => barsDrawing(bars, top))),
    ...picture.panels.map((panel: Panel) => (top: number) => panelDrawing(panel, top)),
  ];
  const { markup, bottom } = stacked(drawings, 88 + picture.notes.length * 18);
  const size = { width: sheet.width, height: Math.ceil(bottom) };
  const root = {
    xmlns: "http://www.w3.org/2000/svg",
    ...size,
    viewBox: `0 0 ${size.width} ${size.height}`,
    role: "img",
    "aria-labelledby": "title desc",
  };
  const says = [
    `${picture.subtitle}.`,
    ...picture.notes,
    ...picture.panels.map(({ title, reading }) => `${title}: ${reading}`),
  ];
  const svg = element(
    "svg",
    root,
    element("title", { id: "title" }, picture.title),
    element("desc", { id: "desc" }, says.join(" ")),
    styleSheet(),
    rectangle({ x: 0, y: 0, ...size }, "paper"),
    joined(head),
    ...markup,
  );
  return `${pictureMark}${svg.markup}\n`;
}

function stacked(drawings: readonly ((top: number) => Drawn)[], from: number) {
  const markup: Markup[] = [];
  let bottom = from;
  for (const draw of drawings) {
    markup.push(line({ x: sheet.left, y: bottom + 10 }, { x: sheet.right, y: bottom + 10 }, "rule"));
    const drawn = draw(bottom + 32);
    markup.push(drawn.markup);
    bottom += 32 + drawn.height + 14;
  }
  return { markup, bottom: bottom + 10 };
}
