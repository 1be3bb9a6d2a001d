import type { Hash } from "../kernel/ids.ts";

/** Sums over calls of one tool, by the server's own name for it. */
export type ToolMeasure = {
  readonly tool: string;
  /** Calls that reached the server, and those of them without a good result (an error, no answer in time). */
  readonly calls: number;
  readonly failed: number;
  /** Tokens of the good results: as they came, and as they entered the prompt. `Max`: of the largest one. */
  readonly rawTokens: number;
  readonly shownTokens: number;
  readonly rawTokensMax: number;
  readonly shownTokensMax: number;
  /** Time of all calls, ms. */
  readonly ms: number;
};

/**
 * Entries of a project's stream about its MCP servers, each by its alias. A session reads what they make, and has none of them
 * in its own log.
 */
export type ServerEntry =
  /**
   * What calls cost since the session's entry before. `toolCount`, `definitionTokens`: of all that the server lists now; 0: it is
   * not up.
   */
  | {
      readonly type: "server-measured";
      readonly server: string;
      readonly toolCount: number;
      readonly definitionTokens: number;
      readonly tools: readonly ToolMeasure[];
    }
  /** The user takes this definition of the tool for what it is; any other is asked about (decision 0046). */
  | {
      readonly type: "tool-approved";
      readonly server: string;
      readonly tool: string;
      readonly definition: Hash;
      readonly by: "user";
    };
