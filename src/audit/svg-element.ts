/** Markup that is escaped already: only this file makes it. */
export type Markup = { readonly markup: string };

type Attributes = Readonly<Record<string, string | number>>;

/** `children`: texts are escaped, markup is not. */
export function element(name: string, attributes: Attributes, ...children: readonly (Markup | string)[]): Markup {
  const head = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? px(value) : escaped(value)}"`)
    .join("");
  const body = children.map((child) => (typeof child === "string" ? escaped(child) : child.markup)).join("");
  return { markup: body === "" ? `<${name}${head}/>` : `<${name}${head}>${body}</${name}>` };
}

export function joined(parts: readonly Markup[]): Markup {
  return { markup: parts.map(({ markup }) => markup).join("\n") };
}

type At = { readonly x: number; readonly y: number };

/** `style`: names of classes. */
export function label(text: string, { x, y }: At, style = "", anchor: "start" | "middle" | "end" = "start"): Markup {
  const placed = {
    x,
    y,
    ...(style === "" ? {} : { class: style }),
    ...(anchor === "start" ? {} : { "text-anchor": anchor }),
  };
  return text === "" ? { markup: "" } : element("text", placed, text);
}

export function line(from: At, to: At, style: string): Markup {
  return element("path", { class: style, d: `M${px(from.x)} ${px(from.y)}L${px(to.x)} ${px(to.y)}` });
}

export type Box = At & { readonly width: number; readonly height: number };

export function rectangle({ x, y, width, height }: Box, style: string, ...children: readonly Markup[]): Markup {
  return element("rect", { class: style, x, y, width: Math.max(0, width), height: Math.max(0, height) }, ...children);
}

/** A tenth of a pixel is as fine as anybody sees. */
export function px(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`no coordinate: ${value}`);
  return String(Math.round(value * 10) / 10 + 0);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
