import { isRecord } from "../kernel/canonical.ts";
import { compactText, type JsonNode, JsonSpanError, memberOf, rawText, scanJson } from "../kernel/json-spans.ts";
import { eolOf } from "./marked-section.ts";

/**
 * Members that an object is to have. An object among them is to have these and may have others; what lies deeper is one value,
 * such as a server's entry.
 */
export type Wanted = { readonly [key: string]: string | number | boolean | readonly string[] | Wanted };

export type MembersPut =
  /** `kept`: members that are there with another value, which stays; as `env.NAME`. */
  | { readonly type: "put"; readonly text: string; readonly kept: readonly string[] }
  | { readonly type: "bad"; readonly why: string };

/**
 * Adds what an object of a JSON text lacks, and changes nothing that is there: the new members are spliced in behind the
 * last one, with the indentation of their neighbours, and every other character stays as it was written.
 */
export function withMembers(text: string, wanted: Wanted): MembersPut {
  const [bom, json] = text.startsWith("\ufeff") ? ["\ufeff", text.slice(1)] : ["", text];
  const eol = eolOf(json);
  if (json.trim() === "") return { type: "put", text: `${bom}${written(wanted, "  ", "", eol)}${eol}`, kept: [] };
  const bytes = new TextEncoder().encode(json);
  try {
    const root = scanJson(bytes);
    if (root.type !== "object") return { type: "bad", why: "it holds no object" };
    const style = { bytes, eol, unit: indentOf(bytes, root) ?? "  " };
    const { splices, kept } = missing(root, wanted, style, null);
    return { type: "put", text: `${bom}${spliced(bytes, splices)}`, kept };
  } catch (error) {
    if (error instanceof JsonSpanError) return { type: "bad", why: `it is no plain JSON: ${error.message}` };
    throw error;
  }
}

export type MemberCut =
  | { readonly type: "cut"; readonly text: string }
  /** Nothing of that name stands there. */
  | { readonly type: "absent" }
  | { readonly type: "bad"; readonly why: string };

/** Takes one member out of an object that is itself a member of a JSON text, and its comma; every other character stays. */
export function withoutMember(text: string, [outer, key]: readonly [string, string]): MemberCut {
  const [bom, json] = text.startsWith("\ufeff") ? ["\ufeff", text.slice(1)] : ["", text];
  const bytes = new TextEncoder().encode(json);
  try {
    const node = memberOf(scanJson(bytes), outer);
    if (node?.type !== "object") return { type: "absent" };
    const at = node.members.findIndex((member) => member.key === key);
    if (at < 0) return { type: "absent" };
    if (node.members.some((member, other) => other !== at && member.key === key))
      return { type: "bad", why: `${outer}.${key} stands there twice` };
    return { type: "cut", text: `${bom}${spliced(bytes, [cutOf(node, at)])}` };
  } catch (error) {
    if (error instanceof JsonSpanError) return { type: "bad", why: `it is no plain JSON: ${error.message}` };
    throw error;
  }
}

/** Up to the next member; the last one from the end of the one before, and the only one with the space around it. */
function cutOf({ members, span }: ObjectNode, at: number): Splice {
  const [before, own, next] = [members[at - 1], members[at], members[at + 1]];
  const from = own?.keySpan[0] ?? span[0];
  if (next !== undefined) return { at: from, to: next.keySpan[0], text: "" };
  if (before !== undefined) return { at: before.value.span[1], to: own?.value.span[1] ?? span[1], text: "" };
  return { at: span[0] + 1, to: span[1] - 1, text: "" };
}

type Style = { readonly bytes: Uint8Array; readonly eol: string; readonly unit: string };
/** `text` in the place of the bytes from `at` to `to`. */
type Splice = { readonly at: number; readonly to: number; readonly text: string };
type Missing = { readonly splices: readonly Splice[]; readonly kept: readonly string[] };
type ObjectNode = Extract<JsonNode, { readonly type: "object" }>;

function missing(node: ObjectNode, wanted: Wanted, style: Style, within: string | null): Missing {
  const added: [string, Wanted[string]][] = [];
  const inside: Missing[] = [];
  for (const [key, value] of Object.entries(wanted)) {
    const there = memberOf(node, key);
    if (there === undefined) added.push([key, value]);
    else if (within === null && isNested(value) && there.type === "object")
      inside.push(missing(there, value, style, key));
    else if (compactText(style.bytes, there) !== JSON.stringify(value))
      inside.push({ splices: [], kept: [within === null ? key : `${within}.${key}`] });
  }
  const own = added.length === 0 ? [] : [addition(node, Object.fromEntries(added), style)];
  return {
    splices: [...own, ...inside.flatMap(({ splices }) => splices)],
    kept: inside.flatMap(({ kept }) => kept),
  };
}

/** Behind the last member, or, in an object that has none, in its place. */
function addition(node: ObjectNode, members: Wanted, style: Style): Splice {
  const { bytes, eol, unit } = style;
  const last = node.members.at(-1);
  const own = indentOf(bytes, node);
  if (last === undefined) {
    const outer = lineIndent(bytes, node.span[0]);
    const text = `${eol}${lines(members, unit, outer + unit, eol)}${eol}${outer}`;
    return { at: node.span[0] + 1, to: node.span[1] - 1, text };
  }
  const at = last.value.span[1];
  if (own !== null) return { at, to: at, text: `,${eol}${lines(members, unit, own, eol)}` };
  const inLine = Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return { at, to: at, text: `, ${inLine.join(", ")}` };
}

function lines(members: Wanted, unit: string, indent: string, eol: string): string {
  return Object.entries(members)
    .map(([key, value]) => `${indent}${JSON.stringify(key)}: ${written(value, unit, indent, eol)}`)
    .join(`,${eol}`);
}

function written(value: Wanted[string], unit: string, indent: string, eol: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

/** The white space in front of the first member, where that stands on a line of its own. */
function indentOf(bytes: Uint8Array, node: ObjectNode): string | null {
  const first = node.members[0];
  if (first === undefined) return null;
  return /\n([ \t]*)$/.exec(rawText(bytes, [node.span[0], first.keySpan[0]]))?.[1] ?? null;
}

function lineIndent(bytes: Uint8Array, at: number): string {
  const before = rawText(bytes, [0, at]);
  return /^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
}

function spliced(bytes: Uint8Array, splices: readonly Splice[]): string {
  let text = "";
  let from = 0;
  for (const { at, to, text: added } of splices.toSorted((a, b) => a.at - b.at)) {
    text += rawText(bytes, [from, at]) + added;
    from = to;
  }
  return text + rawText(bytes, [from, bytes.length]);
}

function isNested(value: Wanted[string]): value is Wanted {
  return isRecord(value);
}
