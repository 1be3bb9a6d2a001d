import { bounds } from "../kernel/bounds.ts";
import type { ReadablePage } from "../ports/http.ts";

/** The article of a page, or all of it where none stands out, as Markdown. Nothing in the page is run or loaded. */
export const readablePage: ReadablePage = async (html) => {
  const cut = html.slice(0, bounds.webHtmlCharsMax);
  const left = html.length - cut.length;
  const note = left === 0 ? "" : `\n\n[… ${left} more characters of HTML were not looked through …]`;
  const shape = shapeOf(cut);
  try {
    // Finding the article costs far more than the square of the depth: a page must not be able to hold us up.
    if (within(shape, convertMax)) {
      const page = await converted(cut, within(shape, articleMax) ? "article" : "whole");
      return { title: page.title, text: page.text + note };
    }
  } catch {
    // Nothing that a parser understands: its words without the tags are still worth reading.
  }
  return { title: "", text: stripped(cut) + note };
};

type Shape = { readonly elements: number; readonly depth: number };

const articleMax: Shape = { elements: 5_000, depth: 100 };
const convertMax: Shape = { elements: 30_000, depth: 500 };

function within(shape: Shape, max: Shape): boolean {
  return shape.elements <= max.elements && shape.depth <= max.depth;
}

/** Counted in the text, before any tree is built: every `<` is one piece of it. Elements that need no end tag do not nest. */
function shapeOf(html: string): Shape {
  const elements = Math.ceil((html.split("<").length - 1) / 2);
  let [open, depth] = [0, 0];
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][^\s/>]*)/gi)) {
    if (endless.has(name.toLowerCase())) continue;
    open = slash === "" ? open + 1 : Math.max(0, open - 1);
    depth = Math.max(depth, open);
  }
  return { elements, depth };
}

const endless: ReadonlySet<string> = new Set(
  (
    "p li dt dd tr td th thead tbody tfoot option colgroup col br hr img input meta link base area embed source track wbr " +
    "param html head body path circle rect line use"
  ).split(" "),
);

async function converted(
  html: string,
  want: "article" | "whole",
): Promise<{ readonly title: string; readonly text: string }> {
  const [{ parseHTML }, { Readability }, { default: Turndown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("turndown"),
  ]);
  // The parser makes no missing parts of a frame up, and without them finds no body: every page gets the same whole one.
  const { document } = parseHTML(framed(html.replaceAll(/<\/?(?:html|head|body)\b[^<>]*>|<!doctype[^<>]*>/gi, "")));
  for (const node of document.querySelectorAll(silent)) node.remove();
  const titles = [...document.querySelectorAll("title")];
  const title = oneLine(titles[0]?.textContent ?? "");
  for (const node of titles) node.remove();
  const markdown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  markdown.addRule("cell", { filter: ["td", "th"], replacement: (text) => ` ${oneLine(text)} |` });
  markdown.addRule("row", { filter: "tr", replacement: (text) => `|${text}\n` });
  // Links of a page are its own business; pictures are nothing to read.
  markdown.addRule("picture", {
    filter: ["img"],
    replacement: (_text, node) => ("alt" in node ? altOf(node.alt) : ""),
  });
  const body = parseHTML(document.toString()).document.body;
  const article = want === "article" ? new Readability(document).parse() : null;
  const words = (article?.textContent ?? "").trim().length;
  const isWorthIt = words >= wordsMin && words * 4 >= (body.textContent ?? "").trim().length;
  const found = framed(article?.content ?? "");
  const root = isWorthIt ? parseHTML(found).document.body : body;
  return { title: title || oneLine(article?.title ?? ""), text: tidy(markdown.turndown(root)) };
}

function framed(html: string): string {
  return `<!doctype html><html><head></head><body>${html}</body></html>`;
}

const silent = "script, style, noscript, template, svg, canvas, iframe, object, link, meta";
/** A shorter article is likely a teaser, and the page itself is what was asked for; so is one that is little of the page. */
const wordsMin = 200;

function altOf(alt: unknown): string {
  return typeof alt !== "string" || alt === "" ? "" : `[picture: ${oneLine(alt)}]`;
}

function tidy(text: string): string {
  return text
    .replaceAll(/[ \t]+\n/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function stripped(html: string): string {
  const spoken = html
    .split(/<\/(?:script|style)\s*>/i)
    .map((part) => part.replace(/<(?:script|style)\b[\s\S]*$/i, " "));
  const lines = spoken
    .join("")
    .replaceAll(/<\/?(?:p|div|li|ul|ol|tr|table|h[1-6]|br|pre|section|article)\b[^<>]*>/gi, "\n");
  const text = lines.replaceAll(/<[^<>]*>/g, " ").replaceAll(/[ \t]{2,}/g, " ");
  return tidy(text.replaceAll(/&(lt|gt|quot|#39|nbsp|amp);/g, (_all, name: string) => entities[name] ?? ""));
}

const entities: { readonly [name: string]: string } = { lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " ", amp: "&" };
