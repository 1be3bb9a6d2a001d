import type { CallId, Handle, Hash } from "../kernel/ids.ts";
import type { Attachment } from "./attached.ts";
import type { Pointers, Text } from "./block.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ProviderClearing } from "./provider-clearing.ts";
import type { ProviderSummary } from "./summary.ts";

export type BreakReason =
  | "cleared"
  | "collapsed"
  | "compacted"
  | "undone"
  | "window-slid"
  | "sections-changed"
  | "model-changed"
  | "effort-changed"
  | "renderer-changed"
  | "history-damaged"
  | "client-changed";

/** What a break does to the pieces that stood before it, in order. Ids are `Piece.id`. */
export type PieceEdit =
  | { readonly type: "dropped"; readonly from: string; readonly to: string }
  /** `original`: what it was, where no other entry keeps that under a handle (the input of a call). */
  | {
      readonly type: "replaced";
      readonly piece: string;
      readonly text: Text;
      readonly original?: KeptOriginal;
      /** Of a result, those that its new text has. */
      readonly pointers?: Pointers;
    }
  /** What the provider signed from here to there is not valid any more: those blocks go on by their neutral fields. */
  | { readonly type: "unsigned"; readonly from: string; readonly to: string }
  | {
      readonly type: "inserted";
      /** Piece it stands in front of; null: at the end. */
      readonly before: string | null;
      readonly kind: "fold";
      readonly text: Text;
      /** The whole list the text was made from, under the handle the text names. */
      readonly original: KeptOriginal;
    };

/** A text that can be recalled by its handle. */
export type KeptOriginal = { readonly handle: Handle; readonly text: Text };

/**
 * Why results went and what that was worth, as it was predicted (DESIGN 6, Clear). Tokens; `rent`, `price` and `recalls` in
 * plain input tokens at the rates named, which are multiples of the price of one.
 */
export type ClearNumbers = {
  readonly reason: "cold" | "rent" | "pressure" | "tier";
  readonly savedTokens: number;
  readonly behindTokens: number;
  readonly reasoningTokens: number;
  readonly rent: number;
  readonly price: number;
  readonly recalls: number;
  readonly prices: "known" | "assumed" | "local";
  readonly rates: { readonly read: number; readonly write: number; readonly output: number };
};

export type EpochEntry =
  | {
      readonly type: "epoch-opened";
      /** `start` opens the first epoch; anything else is a break and says why. */
      readonly reason: "start" | BreakReason;
      readonly detail: string;
      /** Blobs: canonical JSON of `ToolDeclaration[]` and `SystemSection[]` (prompt/doc.ts), byte for byte. */
      readonly head: { readonly tools: Hash; readonly system: Hash };
      readonly model: ModelChoice;
      /** The user-context block as it will be sent; never summarised, written anew at each break. */
      readonly userContext: Text;
      /** All facts in force, right behind the user context; left out: there are none. */
      readonly facts?: Text;
      /** What else stands in front, behind the facts; what was attached before and is not among them leaves. Left out: none. */
      readonly attached?: readonly Attachment[];
      readonly edits: readonly PieceEdit[];
      /** Predicted at the time of the decision; null where the price is unknown. */
      readonly cost: {
        readonly tokensRewritten: number;
        readonly reasoningTokensLost: number;
        readonly usd: number | null;
      };
      /** Of a break that clears. */
      readonly clearing?: ClearNumbers;
      /** Sent with every request of the epoch; left out: the provider is asked for nothing. */
      readonly providerClearing?: ProviderClearing;
      /** Of a compaction that the provider made: it stands in front of all else that is said. */
      readonly summary?: ProviderSummary;
    }
  /** A result's first form, where it is not the original itself. Fixed from here on. */
  | {
      readonly type: "form-fixed";
      readonly callId: CallId;
      readonly handle: Handle;
      readonly text: Text;
      readonly pointers?: Pointers;
      /** The text only says that the output is not shown again: of what call, and how often it was shown before. */
      readonly again?: { readonly what: string; readonly times: number };
    }
  | {
      readonly type: "limit-learned";
      readonly model: string;
      readonly inputTokensMax: number;
      readonly from: string;
      /** The refusal named no number (`log/limits.ts`). */
      readonly basis?: "guess";
    }
  /** What the provider's own listing says of a model, written before anything is decided by it (PROTOCOLS A.1). */
  | {
      readonly type: "model-described";
      readonly model: string;
      readonly inputTokensMax: number | null;
      readonly outputTokensMax: number | null;
      readonly from: string;
    }
  /** The estimate's own state after a reported usage (DESIGN 7): hidden overhead and one factor per content class. */
  | {
      readonly type: "estimate-corrected";
      readonly model: string;
      readonly estimate: EstimateState;
      /** What system and tools of the open epoch were found to have; once per head and model. */
      readonly headTokens?: number;
    };

export type EstimateState = {
  readonly overheadTokens: number;
  readonly factors: {
    readonly code: number;
    readonly json: number;
    readonly prose: number;
    readonly cjk: number;
    /** Of the marks around blocks; left out by older logs. */
    readonly marks?: number;
  };
  /** How sure these six numbers are, together: upper triangle, row by row (budget/learn.ts). */
  readonly covariance: readonly number[];
  /** Newest relative errors of the increment, for the 99 % bound of law 5; at most 50. */
  readonly errors: readonly number[];
};
