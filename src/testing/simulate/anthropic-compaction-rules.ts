import { isRecord } from "../../kernel/canonical.ts";
import { contentHash, openSummary, type SealedSummary } from "./compaction-seal.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { toolsReferenced } from "./tool-changes.ts";
import { blocksOf, messagesOf, recordOf, textOf } from "./value.ts";

type Block = Readonly<Record<string, unknown>>;
type Placed = { readonly block: Block; readonly role: string; readonly at: number; readonly place: number };

const askBeta = "compact-2026-09-04";
const thresholdBeta = "compact-2026-01-12";
/** The service names no number; this one is ours. */
const toolReferencesMax = 100;

/** A summary made by the service on demand, and the blocks of any that stand in later requests (PROTOCOLS A.5). */
export const anthropicCompactionRules: readonly Rule[] = [
  { id: "compaction-ask", paragraph: "A.5", check: badAsk },
  {
    id: "compaction-turn",
    paragraph: "A.5",
    check: ({ body }) => {
      const last = messagesOf(body).at(-1);
      if (body.compaction == null || last?.role !== "assistant") return null;
      const blocks = blocksOf(last.content);
      const answered = new Set(blocks.map((block) => block.tool_use_id));
      const isOpen = blocks.some(({ type, id }) => textOf(type).endsWith("tool_use") && !answered.has(id));
      return isOpen ? coded("compaction_incomplete_turn", "the last assistant turn is not finished") : null;
    },
  },
  {
    id: "compaction-nothing",
    paragraph: "A.5",
    check: ({ body }) => {
      if (body.compaction == null || messagesOf(body).length === 0) return null;
      const said = messagesOf(body).filter(({ role }) => role !== "system");
      const isEmpty = said.every(({ content }) =>
        blocksOf(content).every((block) => isCompaction(block) && !isFull(block)),
      );
      return isEmpty ? coded("compaction_nothing_to_summarize", "messages hold nothing to summarize") : null;
    },
  },
  {
    id: "compaction-references",
    paragraph: "A.5",
    check: ({ body }) =>
      body.compaction != null && toolsReferenced(body).length > toolReferencesMax
        ? coded("compaction_too_many_tool_references", `more than ${toolReferencesMax} tools are referenced`)
        : null,
  },
  {
    id: "compaction-header",
    paragraph: "A.5",
    check: (input) =>
      firstOf(compactionsOf(input), (placed) => {
        const beta = isSigned(placed.block) ? askBeta : thresholdBeta;
        return betasOf(input).includes(beta)
          ? null
          : `${pathOf(placed)}: a 'compaction' block needs the beta ${beta} on each request that carries it`;
      }),
  },
  {
    id: "compaction-editing",
    paragraph: "A.5",
    check: (input) =>
      input.body.context_management == null
        ? null
        : firstOf(compactionsOf(input), (placed) =>
            isSigned(placed.block) ? `${pathOf(placed)}: cannot be combined with context_management` : null,
          ),
  },
  { id: "compaction-shape", paragraph: "A.5", check: (input) => firstOf(compactionsOf(input), badShape) },
  {
    id: "compaction-single",
    paragraph: "A.5",
    check: (input) => {
      const full = compactionsOf(input).filter(({ block }) => isFull(block));
      return full.length > 1 && full.some(({ block }) => isSigned(block))
        ? coded("compaction_block_ambiguous", "messages hold more than one compaction block with content")
        : null;
    },
  },
  {
    id: "compaction-place",
    paragraph: "A.5",
    check: (input) =>
      firstOf(
        compactionsOf(input).filter(({ block }) => isFull(block)),
        (placed) => {
          const { role, at, place, block } = placed;
          const isFine = place === 0 && role !== "system" && (at === 0 || (role === "assistant" && !isSigned(block)));
          const message = `${pathOf(placed)}: the block must be the first of the conversation`;
          return isFine ? null : coded("compaction_block_misplaced", message);
        },
      ),
  },
  {
    id: "compaction-signature",
    paragraph: "A.5",
    check: sealed((placed, seal) =>
      seal === null ? coded("compaction_signature_invalid", `${pathOf(placed)}: the signature does not verify`) : null,
    ),
  },
  {
    id: "compaction-content",
    paragraph: "A.5",
    check: sealed((placed, seal) =>
      seal?.content === contentHash(placed.block.content)
        ? null
        : coded("compaction_content_mismatch", `${pathOf(placed)}: the content is not the one that was signed`),
    ),
  },
  {
    id: "compaction-tools",
    paragraph: "A.5",
    check: sealed((placed, seal) =>
      seal?.toolChanges === contentHash(placed.block.tool_changes)
        ? null
        : coded("compaction_tool_changes_mismatch", `${pathOf(placed)}: tool_changes are not those that were returned`),
    ),
  },
];

function badAsk(input: RuleInput): Found | null {
  const { body, model } = input;
  if (body.compaction == null) return null;
  if (!betasOf(input).includes(askBeta)) return { message: "compaction: Extra inputs are not permitted" };
  if (!isRecord(body.compaction)) return { message: "compaction: Input should be a valid dictionary" };
  const { type, instructions, ...rest } = body.compaction;
  if (type !== "summarize") return { message: "compaction.type: Input should be 'summarize'" };
  if (instructions != null && typeof instructions !== "string")
    return { message: "compaction.instructions: Input should be a valid string" };
  const [extra] = Object.keys(rest);
  if (extra !== undefined) return { message: `compaction.${extra}: Extra inputs are not permitted` };
  if (body.context_management != null) return { message: "compaction: cannot be combined with context_management" };
  if (body.max_tokens === 0) return { message: "compaction: max_tokens must leave room for the summary" };
  return model.compaction ? null : { message: `compaction: not supported on ${model.id}` };
}

function compactionsOf({ body }: RuleInput): readonly Placed[] {
  return messagesOf(body).flatMap(({ role, content }, at) =>
    blocksOf(content).flatMap((block, place) =>
      isCompaction(block) ? [{ block, role: textOf(role), at, place }] : [],
    ),
  );
}

/** Looks at each block that says something, by the seal it came with. */
function sealed(check: (placed: Placed, seal: SealedSummary | null) => Found | null): Rule["check"] {
  return (input) =>
    firstOf(compactionsOf(input), (placed) => {
      const { block } = placed;
      return isFull(block)
        ? check(placed, openSummary(isSigned(block) ? block.signature : block.encrypted_content))
        : null;
    });
}

function badShape(placed: Placed): string | null {
  const { content, signature, encrypted_content, tool_changes } = placed.block;
  const path = `${pathOf(placed)}.compaction`;
  if (content === "") return `${path}.content: Input should not be empty`;
  for (const [name, value] of Object.entries({ content, signature, encrypted_content }))
    if (value != null && typeof value !== "string") return `${path}.${name}: Input should be a valid string`;
  return tool_changes == null || (Array.isArray(tool_changes) && tool_changes.every(isToolChange))
    ? null
    : `${path}.tool_changes: Input should be a list of tool_addition and tool_removal blocks`;
}

function isToolChange(change: unknown): boolean {
  return ["tool_addition", "tool_removal"].includes(textOf(recordOf(change).type));
}

function isCompaction(block: Block): boolean {
  return block.type === "compaction";
}

/** One without content says that its summary failed, and counts for nothing. */
function isFull(block: Block): boolean {
  return block.content != null;
}

/** Made on demand; those made at a threshold carry encrypted content only. */
function isSigned({ signature }: Block): boolean {
  return signature != null;
}

function betasOf({ headers }: RuleInput): string {
  return headers["anthropic-beta"] ?? "";
}

function pathOf({ at, place }: Placed): string {
  return `messages.${at}.content.${place}`;
}

function coded(code: string, message: string): Found {
  return { message, code };
}
