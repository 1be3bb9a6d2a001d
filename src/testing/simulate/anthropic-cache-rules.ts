import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { blocksOf, listOf, messagesOf, recordOf } from "./value.ts";

type Block = Readonly<Record<string, unknown>>;
type Marked = { readonly path: string; readonly holder: Block; readonly mark: Block };

const marksMax = 4;

/** Cache markers: how many, where, for how long and in which order. */
export const anthropicCacheRules: readonly Rule[] = [
  {
    id: "mark-shape",
    paragraph: "A.2",
    check: (input) => {
      const automatic =
        input.body.cache_control == null ? [] : [{ path: "", mark: recordOf(input.body.cache_control) }];
      return firstOf([...marksOf(input), ...automatic], ({ path, mark }) =>
        badMark(path === "" ? "cache_control" : `${path}.cache_control`, mark, input),
      );
    },
  },
  {
    id: "mark-count",
    paragraph: "A.2",
    check: (input) => {
      const count = marksOf(input).length;
      const all = count + (input.body.cache_control == null ? 0 : 1);
      return count > marksMax || (all > marksMax && !isLastMarked(input))
        ? { message: `A maximum of ${marksMax} blocks with cache_control may be provided. Found ${all}.` }
        : null;
    },
  },
  {
    id: "mark-place",
    paragraph: "A.2",
    check: (input) =>
      firstOf(marksOf(input), ({ path, holder }) => {
        if (holder.type === "thinking" || holder.type === "redacted_thinking")
          return `${path}.cache_control: Extra inputs are not permitted`;
        if (holder.type === "text" && holder.text === "")
          return `${path}: cache_control cannot be set for empty text blocks`;
        return holder.defer_loading === true
          ? `${path}: cache_control cannot be set for tools with defer_loading`
          : null;
      }),
  },
  { id: "mark-automatic", paragraph: "A.2", check: automaticConflict },
  { id: "mark-order", paragraph: "A.2", check: shortBeforeLong },
];

/** All explicit markers in the order they are rendered. */
function marksOf({ body }: RuleInput): readonly Marked[] {
  const tools = listOf(body.tools).map((tool, index) => ({ path: `tools.${index}`, holder: recordOf(tool) }));
  const system = blocksOf(body.system).map((holder, index) => ({ path: `system.${index}`, holder }));
  const messages = messagesOf(body).flatMap((message, at) =>
    blocksOf(message.content).flatMap((holder, index) => {
      const path = `messages.${at}.content.${index}`;
      const inside = holder.type === "tool_result" ? blocksOf(holder.content) : [];
      return [{ path, holder }, ...inside.map((inner, place) => ({ path: `${path}.content.${place}`, holder: inner }))];
    }),
  );
  return [...tools, ...system, ...messages].flatMap(({ path, holder }) =>
    holder.cache_control == null ? [] : [{ path, holder, mark: recordOf(holder.cache_control) }],
  );
}

function badMark(path: string, mark: Block, { headers }: RuleInput): string | null {
  if (mark.type !== "ephemeral") return `${path}.type: Input should be 'ephemeral'`;
  if (mark.ttl !== undefined && mark.ttl !== "5m" && mark.ttl !== "1h")
    return `${path}.ttl: Input should be '5m' or '1h'`;
  const allowsScope = (headers["anthropic-beta"] ?? "").includes("prompt-caching-scope");
  const extra = Object.keys(mark).find((key) => key !== "type" && key !== "ttl" && !(key === "scope" && allowsScope));
  return extra === undefined ? null : `${path}.${extra}: Extra inputs are not permitted`;
}

function lastBlock({ body }: RuleInput): Block {
  return blocksOf(messagesOf(body).at(-1)?.content).at(-1) ?? {};
}

function isLastMarked(input: RuleInput): boolean {
  return lastBlock(input).cache_control != null;
}

/** Automatic caching and an explicit marker on the same block must want the same lifetime. */
function automaticConflict(input: RuleInput): Found | null {
  const explicit = lastBlock(input).cache_control;
  if (input.body.cache_control == null || explicit == null) return null;
  const ttl = (mark: unknown) => recordOf(mark).ttl ?? "5m";
  return ttl(explicit) === ttl(input.body.cache_control)
    ? null
    : { message: "cache_control: the last block has a cache_control with a different ttl" };
}

function shortBeforeLong(input: RuleInput): Found | null {
  let hasShort = false;
  const automatic =
    input.body.cache_control == null ? [] : [{ path: "cache_control", mark: recordOf(input.body.cache_control) }];
  return firstOf([...marksOf(input), ...automatic], ({ path, mark }) => {
    if (mark.ttl === "1h" && hasShort)
      return `${path}: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block`;
    hasShort ||= mark.ttl !== "1h";
    return null;
  });
}
