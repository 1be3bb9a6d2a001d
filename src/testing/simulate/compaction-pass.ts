import type { Wire } from "../../kernel/usage.ts";
import type { BrainReply } from "./brain.ts";
import { brainRequestOf } from "./brain-request.ts";
import type { CacheUse } from "./cache.ts";
import type { Compacted, CompactionBlock } from "./compacted.ts";
import { askingForSummary, type CompactionAsk } from "./compaction-ask.ts";
import { compactionBlock } from "./compaction-block.ts";
import type { Core } from "./core.ts";
import type { Examined } from "./examine.ts";
import { fitReply } from "./fit.ts";
import { askBrain } from "./respond.ts";
import type { SimModel } from "./sim-model.ts";
import { inputItemsOf, numberOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;
export type Pass =
  | { readonly type: "none" }
  | {
      readonly type: "failed";
      readonly error: { readonly status: number; readonly message: string; readonly code?: string };
    }
  /** Asked for, and the answer ended in another way. */
  | { readonly type: "stopped"; readonly reply: BrainReply }
  /** `view`: the request as the model reads it from here on; null where nothing changed for it, or nothing more is said. */
  | { readonly type: "made"; readonly compacted: Compacted; readonly view: Body | null };

type Request = {
  readonly body: Body;
  readonly model: SimModel;
  readonly examined: Examined;
  readonly use: CacheUse;
};

/** The model sums the conversation up for the service, which seals what it said (PROTOCOLS A.5, B.4). */
export async function compactionPass(core: Core, ask: CompactionAsk | null, request: Request): Promise<Pass> {
  if (ask === null) return { type: "none" };
  const { body, model, examined, use } = request;
  // A pass beside the answer has a limit of its own; the service does not say which.
  const limit = (ask.how === "asked" ? outputLimit(body) : null) ?? model.outputTokensMax;
  const asked = Math.min(limit, summaryTokensUsual);
  const asking = askingForSummary(brainRequestOf(model, examined.body, core.served), ask.instructions, asked);
  core.served += 1;
  const reply = await askBrain(core.brain, asking);
  if (typeof reply === "string") return { type: "failed", error: { status: 500, message: reply } };

  const fitted = fitReply({ text: reply.text ?? "" }, limit, model.tokenRate);
  const isShort = fitted.isCut || reply.stop === "output-limit";
  const isWhole = !isShort && reply.stop !== "refusal" && (reply.calls ?? []).length === 0;
  const text = isWhole ? summaryIn(fitted.reply.text ?? "") : "";
  const made = { goesOn: ask.goesOn, promptTokens: examined.promptTokens, use, outputTokens: fitted.outputTokens };
  if (text !== "") {
    const block = compactionBlock(text, ask, request);
    if (block === undefined) return { type: "none" };
    return { type: "made", compacted: { ...made, block }, view: ask.goesOn ? viewOf(model.wire, body, block) : null };
  }
  if (ask.how === "asked") return unmade(model.wire, isShort, reply);
  if (model.wire !== "anthropic") return { type: "none" };
  const block = { type: "compaction", content: null, encrypted_content: null } as const;
  return { type: "made", compacted: { ...made, block }, view: null };
}

const summaryTokensUsual = 4_000;

function outputLimit(body: Body): number | null {
  return numberOf(body.max_tokens) ?? numberOf(body.max_output_tokens);
}

/** What a model was told to put between marks. */
function summaryIn(text: string): string {
  return (/<summary>([\s\S]*)<\/summary>/.exec(text)?.[1] ?? text).trim();
}

function unmade(wire: Wire, isShort: boolean, reply: BrainReply): Pass {
  if (isShort) return { type: "stopped", reply: { stop: "output-limit" } };
  if (reply.stop === "refusal") return { type: "stopped", reply: { stop: "refusal" } };
  const message = "The conversation could not be summarized. Please retry the request.";
  return {
    type: "failed",
    error: wire === "anthropic" ? { status: 529, message, code: "compaction_unavailable" } : { status: 500, message },
  };
}

function viewOf(wire: Wire, body: Body, block: CompactionBlock): Body {
  if (wire === "responses") return { ...body, input: [...inputItemsOf(body), block] };
  return { ...body, messages: [{ role: "assistant", content: [block] }] };
}
