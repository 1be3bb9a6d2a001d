import { moneyText } from "../budget/prices.ts";
import { fitted } from "./columns.ts";
import type { CategoryName, ContextCategory, ContextItem, ContextView } from "./context.ts";

const itemsShownMax = 10;

/** The view for people: one bar of the whole usable window, then the parts, then the largest single items. */
export function contextText(view: ContextView, options: { readonly width: number; readonly color: boolean }): string {
  const width = Math.max(40, Math.min(options.width, 100));
  const paint = options.color ? painted : plain;
  const items = view.items.filter((item) => item.tokens > 0).slice(0, itemsShownMax);
  const sections = [
    headline(view),
    bar(view, width, paint),
    ruler(view, width),
    "",
    ...view.categories.flatMap((category) => categoryLines(category, width, paint)),
    ...(items.length === 0 ? [] : ["", "Largest items"]),
    ...items.map((item) => itemLine(item, width)),
    "",
    ...notes(view),
  ];
  return `${sections.join("\n")}\n`;
}

type Paint = (category: CategoryName, text: string) => string;

const plain: Paint = (_category, text) => text;
const painted: Paint = (category, text) => `\u001b[38;5;${colors[category]}m${text}\u001b[0m`;

const colors: Readonly<Record<CategoryName, number>> = {
  tools: 66,
  system: 61,
  "user context": 72,
  attached: 108,
  messages: 68,
  "tool results": 173,
  reasoning: 139,
  other: 245,
};

/** Without colour the parts of the bar differ by sign; the legend shows the same ones. */
const signs: Readonly<Record<CategoryName, string>> = {
  tools: "▓",
  system: "▒",
  "user context": "◇",
  attached: "◈",
  messages: "█",
  "tool results": "▚",
  reasoning: "◌",
  other: "·",
};

function headline({ model, usedTokens, usableTokens, percent, counted }: ContextView): string {
  const about = counted === "reported" ? "" : "about ";
  return `${model}   ${about}${count(usedTokens)} of ${count(usableTokens)} usable tokens   ${percent} %`;
}

function bar(view: ContextView, width: number, paint: Paint): string {
  const scale = Math.max(view.usableTokens, view.usedTokens, 1);
  let exact = 0;
  let shown = 0;
  const filled = view.categories.map((category) => {
    exact += (category.tokens / scale) * width;
    const cells = Math.round(exact) - shown;
    shown += cells;
    return cells === 0 ? "" : paint(category.name, signs[category.name].repeat(cells));
  });
  return filled.join("") + "░".repeat(width - shown);
}

/** Where something happens: marks below the bar at the warn, automatic and hard lines. */
function ruler({ usableTokens, usedTokens, lines }: ContextView, width: number): string {
  const scale = Math.max(usableTokens, usedTokens, 1);
  const cells = Array.from({ length: width }, () => " ");
  const set = (tokens: number, sign: string) => {
    cells[Math.min(width - 1, Math.floor((tokens / scale) * width))] = sign;
  };
  set(lines.warnTokens, "w");
  set(lines.autoTokens, "a");
  set(lines.hardTokens, "h");
  return cells.join("").trimEnd();
}

function categoryLines(category: ContextCategory, width: number, paint: Paint): readonly string[] {
  const line = (sign: string, name: string, tokens: number, share: number) =>
    `${sign} ${name.padEnd(Math.min(24, width - 22))}${count(tokens).padStart(10)}${`${share.toFixed(1)} %`.padStart(9)}`;
  const own = line(paint(category.name, signs[category.name]), category.name, category.tokens, category.share);
  return [own, ...category.tools.map(({ tool, tokens, share }) => line(" ", `  ${tool}`, tokens, share))];
}

function itemLine({ id, tool, title, tokens }: ContextItem, width: number): string {
  const front = `${count(tokens).padStart(10)}  ${id.padEnd(12)}  ${tool === null ? "" : `${tool}: `}`;
  return fitted(front + title, width);
}

function notes(view: ContextView): readonly string[] {
  const { window, nextRequest, counted, reserveTokens, cleared } = view;
  const size = `window ${count(window.windowTokens)}${window.inputTokensMax === null ? "" : `, input ${count(window.inputTokensMax)}`}`;
  const counting = {
    reported: "as reported by the provider",
    partly: "as reported by the provider; what came since is estimated",
    estimated: "estimated; nothing was reported yet",
  } as const;
  return [
    `${size}, reserve ${count(reserveTokens)}   w warn, a automatic, h hard line`,
    `${window.from === "assumed" ? "ASSUMED: " : ""}${window.note}`,
    `tokens ${counting[counted]}; shares are of what is used`,
    ...(cleared === null
      ? []
      : [
          `${count(cleared.results)} results cleared by the provider, ${count(cleared.tokens)} tokens that fill nothing`,
        ]),
    ...leftLine(view),
    `next prompt: ${moneyText(nextRequest.warm)} from a warm cache, ${moneyText(nextRequest.cold)} from a cold one`,
  ];
}

function leftLine({ leftBehind = [] }: ContextView): readonly string[] {
  if (leftBehind.length === 0) return [];
  const tokens = leftBehind.reduce((sum, one) => sum + one.tokens, 0);
  const names = leftBehind.slice(-namesShownMax).map(({ kind, name }) => `${kind} ${printable(name)}`);
  const more = leftBehind.length > names.length ? ` and ${leftBehind.length - names.length} more` : "";
  return [`${count(tokens)} tokens won: ${names.join(", ")}${more} left at a break; what came of them stays`];
}

const namesShownMax = 8;

/** A name may be a path from a stranger's archive. */
function printable(name: string): string {
  return name.replace(/[\p{C}\s]+/gu, " ").slice(0, 80);
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
