/**
 * JSON as the provider reads it: members keep their order (also those whose names look like numbers), and numbers keep
 * their spelling, so that a request whose members moved is another request. The simulator's own reader, on purpose:
 * it must not share a mistake with the code it checks.
 */
export type Tree =
  | { readonly type: "object"; readonly members: readonly (readonly [key: string, value: Tree])[] }
  | { readonly type: "list"; readonly items: readonly Tree[] }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "literal"; readonly raw: string };

const depthMax = 200;

/** Throws `SyntaxError` where the text is not one JSON value; callers have checked it before. */
export function readTree(text: string): Tree {
  const cursor: Cursor = { text, at: 0 };
  skipSpace(cursor);
  const tree = readValue(cursor, 0);
  skipSpace(cursor);
  if (cursor.at !== text.length) throw unexpected(cursor);
  return tree;
}

/** One spelling for one value: no white space, shortest escapes, members in the order they came. */
export function writeTree(tree: Tree): string {
  if (tree.type === "string") return JSON.stringify(tree.value);
  if (tree.type === "literal") return tree.raw;
  if (tree.type === "list") return `[${tree.items.map(writeTree).join(",")}]`;
  return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)}:${writeTree(value)}`).join(",")}}`;
}

export function member(tree: Tree | undefined, key: string): Tree | undefined {
  if (tree?.type !== "object") return undefined;
  return tree.members.find(([name]) => name === key)?.[1];
}

export function stringOf(tree: Tree | undefined): string | undefined {
  return tree?.type === "string" ? tree.value : undefined;
}

export function itemsOf(tree: Tree | undefined): readonly Tree[] {
  return tree?.type === "list" ? tree.items : [];
}

/** The tree without members of that name at any depth. */
export function without(tree: Tree, key: string): Tree {
  if (tree.type === "list") return { type: "list", items: tree.items.map((item) => without(item, key)) };
  if (tree.type !== "object") return tree;
  const kept = tree.members.filter(([name]) => name !== key);
  return { type: "object", members: kept.map(([name, value]) => [name, without(value, key)] as const) };
}

type Cursor = { readonly text: string; at: number };

function readValue(cursor: Cursor, depth: number): Tree {
  if (depth > depthMax) throw new SyntaxError(`nested deeper than ${depthMax}`);
  const first = cursor.text[cursor.at];
  if (first === "{") return readObject(cursor, depth);
  if (first === "[") return readList(cursor, depth);
  if (first === '"') return { type: "string", value: readString(cursor) };
  return readLiteral(cursor);
}

function readObject(cursor: Cursor, depth: number): Tree {
  const members: (readonly [string, Tree])[] = [];
  eachItem(cursor, "}", () => {
    if (cursor.text[cursor.at] !== '"') throw unexpected(cursor);
    const key = readString(cursor);
    skipSpace(cursor);
    if (cursor.text[cursor.at] !== ":") throw unexpected(cursor);
    cursor.at += 1;
    skipSpace(cursor);
    members.push([key, readValue(cursor, depth + 1)]);
  });
  return { type: "object", members };
}

function readList(cursor: Cursor, depth: number): Tree {
  const items: Tree[] = [];
  eachItem(cursor, "]", () => items.push(readValue(cursor, depth + 1)));
  return { type: "list", items };
}

function eachItem(cursor: Cursor, close: string, readItem: () => void): void {
  cursor.at += 1;
  skipSpace(cursor);
  if (cursor.text[cursor.at] === close) {
    cursor.at += 1;
    return;
  }
  for (;;) {
    readItem();
    skipSpace(cursor);
    const next = cursor.text[cursor.at];
    if (next !== "," && next !== close) throw unexpected(cursor);
    cursor.at += 1;
    if (next === close) return;
    skipSpace(cursor);
  }
}

function readString(cursor: Cursor): string {
  const from = cursor.at;
  let end = cursor.text.indexOf('"', from + 1);
  while (end !== -1 && isEscaped(cursor.text, end)) end = cursor.text.indexOf('"', end + 1);
  if (end === -1) throw unexpected(cursor);
  cursor.at = end + 1;
  const inside = cursor.text.slice(from + 1, end);
  if (!inside.includes("\\")) return inside;
  const value: unknown = JSON.parse(`"${inside}"`);
  return String(value);
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

function readLiteral(cursor: Cursor): Tree {
  literal.lastIndex = cursor.at;
  const found = literal.exec(cursor.text);
  if (found === null) throw unexpected(cursor);
  cursor.at += found[0].length;
  return { type: "literal", raw: found[0] };
}

function skipSpace(cursor: Cursor): void {
  while (" \n\r\t".includes(cursor.text[cursor.at] ?? "x")) cursor.at += 1;
}

function unexpected(cursor: Cursor): SyntaxError {
  return new SyntaxError(`unexpected input at character ${cursor.at}`);
}
