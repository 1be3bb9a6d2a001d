/**
 * A regular expression as a program for an automaton, so that no pattern can make a search take longer than its length
 * times the text's (a model's pattern is as hostile as any). What needs backtracking is refused by name.
 */
export type Pattern =
  | { readonly type: "ok"; readonly program: readonly Step[] }
  | { readonly type: "bad"; readonly why: string };

export type Step =
  | { readonly op: "char"; readonly test: (char: string) => boolean }
  /** Goes on at both; a jump is a split to one place. */
  | { readonly op: "split"; readonly to: readonly number[] }
  | { readonly op: "assert"; readonly what: Assertion }
  | { readonly op: "match" };

export type Assertion = "start" | "end" | "edge" | "no-edge";

export function compilePattern(source: string): Pattern {
  const insensitive = /^\(\?i\)/.test(source);
  const parser: Parser = { source, at: insensitive ? 4 : 0, flags: insensitive ? "iu" : "u", depth: 0 };
  try {
    const node = alternatives(parser);
    if (parser.at < source.length) fail(parser, 'an unmatched ")"');
    const program: Step[] = [];
    emit(node, program);
    program.push({ op: "match" });
    return { type: "ok", program };
  } catch (error) {
    if (error instanceof PatternError) return { type: "bad", why: error.message };
    throw error;
  }
}

class PatternError extends Error {}

type Parser = { readonly source: string; at: number; readonly flags: string; depth: number };

type Node =
  | { readonly type: "char"; readonly test: (char: string) => boolean }
  | { readonly type: "assert"; readonly what: Assertion }
  | { readonly type: "row"; readonly nodes: readonly Node[] }
  | { readonly type: "either"; readonly nodes: readonly Node[] }
  | { readonly type: "repeat"; readonly node: Node; readonly min: number; readonly max: number };

const stepsMax = 4_000;
const depthMax = 100;

function fail(parser: Parser, what: string): never {
  throw new PatternError(`at character ${parser.at + 1}: ${what}`);
}

function alternatives(parser: Parser): Node {
  if (++parser.depth > depthMax) fail(parser, `more than ${depthMax} groups in groups`);
  const nodes = [row(parser)];
  while (parser.source[parser.at] === "|") {
    parser.at += 1;
    nodes.push(row(parser));
  }
  parser.depth -= 1;
  return { type: "either", nodes };
}

function row(parser: Parser): Node {
  const nodes: Node[] = [];
  while (parser.at < parser.source.length && !"|)".includes(parser.source[parser.at] ?? ""))
    nodes.push(repeated(parser));
  return { type: "row", nodes };
}

/** Lazy or greedy makes no difference to whether a line matches. */
function repeated(parser: Parser): Node {
  let node = atom(parser);
  for (;;) {
    const found = taken(parser, /[*+?]|\{(\d+)(,(\d*))?\}/y);
    if (found === null) return node;
    const [sign, from, comma, to] = found;
    const min = from === undefined ? Number(sign === "+") : Number(from);
    const max = maximumOf(sign, min, comma, to);
    if (max < min) fail(parser, `${sign} counts down`);
    if (min > stepsMax || (max !== Number.POSITIVE_INFINITY && max > stepsMax)) fail(parser, `${sign} is too many`);
    node = { type: "repeat", node, min, max };
    taken(parser, /\?/y);
  }
}

function maximumOf(sign: string, min: number, comma: string | undefined, to: string | undefined): number {
  if (sign === "?") return 1;
  if (sign === "*" || sign === "+") return Number.POSITIVE_INFINITY;
  if (comma === undefined) return min;
  return to === undefined || to === "" ? Number.POSITIVE_INFINITY : Number(to);
}

function atom(parser: Parser): Node {
  const char = String.fromCodePoint(parser.source.codePointAt(parser.at) ?? 0);
  if (char === "(") return group(parser);
  if (char === "[") return charClass(parser);
  if (char === "\\") return escaped(parser);
  if ("*+?".includes(char)) fail(parser, `nothing stands before ${char}`);
  parser.at += char.length;
  if (char === "^") return { type: "assert", what: "start" };
  if (char === "$") return { type: "assert", what: "end" };
  if (char === ".") return { type: "char", test: () => true };
  return literal(parser, char);
}

function group(parser: Parser): Node {
  if (/^\(\?<?[=!]/.test(parser.source.slice(parser.at, parser.at + 4)))
    fail(parser, "looking ahead or behind is not supported; search for one part of it");
  if (taken(parser, /\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))/y) === null)
    fail(parser, "this kind of group is not supported; (?i) stands only at the beginning");
  const node = alternatives(parser);
  if (parser.source[parser.at] !== ")") fail(parser, 'a ")" is missing');
  parser.at += 1;
  return node;
}

/** One character of a class is told by the platform's own engine, which has nothing to go back to in one character. */
function charClass(parser: Parser): Node {
  const found = taken(parser, /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\\\]])*\]/y);
  if (found === null) fail(parser, 'a "]" is missing');
  const text = found[0].replace(/^(\[\^?)\]/, "$1\\]").replaceAll(/\[:(\^?)(\w+):\]/g, (_, not, name) => {
    const set = namedSets.get(name);
    return set === undefined || not !== "" ? fail(parser, `[:${not}${name}:] is not supported`) : set;
  });
  return native(
    parser,
    text.replaceAll(/(?!^)\[/g, (at, index: number, all: string) => (all[index - 1] === "\\" ? at : "\\[")),
  );
}

const namedSets = new Map([
  ...([
    ["alpha", "a-zA-Z"],
    ["digit", "0-9"],
    ["alnum", "a-zA-Z0-9"],
    ["upper", "A-Z"],
    ["lower", "a-z"],
  ] as const),
  ...([
    ["space", "\\s"],
    ["word", "\\w"],
    ["xdigit", "0-9a-fA-F"],
    ["punct", "!-\\/:-@\\[-`{-~"],
    ["blank", " \\t"],
  ] as const),
]);

function escaped(parser: Parser): Node {
  const edge = taken(parser, /\\([bBAzZ])/y);
  if (edge !== null) return { type: "assert", what: edges[edge[1] ?? ""] ?? "edge" };
  const set = taken(
    parser,
    /\\(?:[dDwWsStnrfv0]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|[pP](?:\{[^}]*\}|[A-Z]))/y,
  );
  if (set !== null) return native(parser, set[0].replace(/^(\\[pP])([A-Z])$/, "$1{$2}"));
  const plain = taken(parser, /\\([^A-Za-z0-9])/uy);
  if (plain !== null) return literal(parser, plain[1] ?? "");
  return fail(parser, `${parser.source.slice(parser.at, parser.at + 2)} is not supported`);
}

const edges: Readonly<Record<string, Assertion>> = { b: "edge", B: "no-edge", A: "start", z: "end", Z: "end" };

function literal(parser: Parser, char: string): Node {
  if (parser.flags === "u") return { type: "char", test: (given) => given === char };
  return native(parser, char.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&"));
}

function native(parser: Parser, source: string): Node {
  const expression = nativeOf(source, parser.flags) ?? nativeOf(source, parser.flags.replace("u", ""));
  if (expression === null) fail(parser, `${source.slice(0, 40)} is no set of characters`);
  return { type: "char", test: (char) => expression.test(char) };
}

function nativeOf(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(`^${source}$`, flags);
  } catch {
    // Expected: what is no set of characters; the caller says so.
    return null;
  }
}

function taken(parser: Parser, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = parser.at;
  const found = expression.exec(parser.source);
  if (found !== null) parser.at = expression.lastIndex;
  return found;
}

function emit(node: Node, program: Step[]): void {
  if (program.length > stepsMax)
    throw new PatternError(`it stands for more than ${stepsMax} steps; ask for less at once`);
  if (node.type === "char") program.push({ op: "char", test: node.test });
  else if (node.type === "assert") program.push({ op: "assert", what: node.what });
  else if (node.type === "row") for (const one of node.nodes) emit(one, program);
  else if (node.type === "either") emitEither(node.nodes, program);
  else emitRepeat(node, program);
}

function emitEither(nodes: readonly Node[], program: Step[]): void {
  const [first, ...rest] = nodes;
  if (first === undefined) return;
  if (rest.length === 0) {
    emit(first, program);
    return;
  }
  const split = program.push({ op: "match" }) - 1;
  emit(first, program);
  const jump = program.push({ op: "match" }) - 1;
  program[split] = { op: "split", to: [split + 1, program.length] };
  emitEither(rest, program);
  program[jump] = { op: "split", to: [program.length] };
}

function emitRepeat({ node, min, max }: Extract<Node, { readonly type: "repeat" }>, program: Step[]): void {
  for (let times = 0; times < min; times++) {
    const before = program.length;
    emit(node, program);
    // Nothing, however often: repetitions of repetitions of it would never come to the limit of steps.
    if (program.length === before) return;
  }
  if (max === Number.POSITIVE_INFINITY) {
    const split = program.push({ op: "match" }) - 1;
    emit(node, program);
    program.push({ op: "split", to: [split] });
    program[split] = { op: "split", to: [split + 1, program.length] };
    return;
  }
  const splits: number[] = [];
  for (let times = min; times < max; times++) {
    splits.push(program.push({ op: "match" }) - 1);
    emit(node, program);
  }
  for (const split of splits) program[split] = { op: "split", to: [split + 1, program.length] };
}
