import type { Piece } from "../log/block.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { ProviderClearing } from "../log/provider-clearing.ts";

/** What a tool tells the model. `inputSchema` is JSON text, so that its bytes are decided once. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: string;
  /** It finds tools that are not declared; where the wire has a kind of its own for that, it is declared as one (PROTOCOLS B.5). */
  readonly search?: true;
};

/** The tool with `search`, by whatever wire a call of it came. */
export const toolSearchName = "ToolSearch";

/**
 * A named section of the system prompt. `global` stands before the boundary: byte-equal across projects, users and
 * machines (M-51); `session` stands behind it. The boundary itself is the change of scope and is never sent.
 */
export type SystemSection = { readonly name: string; readonly scope: "global" | "session"; readonly text: string };

/**
 * The neutral request: what one step request says, before a wire's syntax. Every text in it is resolved
 * (no blob references), so that encoding is pure.
 */
export type Doc = {
  readonly model: ModelChoice;
  readonly tools: readonly ToolDeclaration[];
  readonly system: readonly SystemSection[];
  readonly pieces: readonly Piece[];
  /** Stable per lane; sent where the wire has a field for it. */
  readonly cacheKey: string;
  /** Id of the newest answer of this lane, for the provider's own cache diagnostics; no part of the prompt. */
  readonly previousResponse?: string;
  /** The provider shall sum all this up itself, in the place of an answer; left out: it shall answer. */
  readonly asksSummary?: true;
  /** What the provider is asked to clear in it; no part of the prompt. */
  readonly providerClearing?: ProviderClearing;
};

export const boundaryMarker = "__VARVE_DYNAMIC_BOUNDARY__";
