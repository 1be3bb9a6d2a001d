import type { Json } from "../kernel/canonical.ts";

/** A tool as a server lists it. Its words and hints are the server's: data, and nothing to rely on. */
export type ServerTool = {
  /** The server's own name for it. */
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  /** As it came; anything at all. Left out by the server: undefined. */
  readonly inputSchema: Json | undefined;
  readonly outputSchema: Json | undefined;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  /** `_meta["anthropic/alwaysLoad"]`: declared from the start of the next epoch on. */
  readonly alwaysLoad: boolean;
};

/** What the user's settings say of one server. */
export type ServerLimits = {
  /** How long a call may take, ms. */
  readonly callMs: number;
  /** Tokens of one first form; null: the usual cap. */
  readonly resultTokens: number | null;
  /** Its own names of tools: null: all of them; patterns with `*`. What is not allowed, or is denied, is not in the catalogue. */
  readonly allowed: readonly string[] | null;
  readonly denied: readonly string[];
  readonly alwaysLoad: boolean;
};

export type ServerStatus =
  | { readonly type: "starting" }
  | { readonly type: "ready"; readonly revision: string }
  /** `retryAt`: when it is tried again, ms since 1970; null: not by itself. */
  | { readonly type: "failed"; readonly why: string; readonly retryAt: number | null }
  /** It does not run and was not meant to: disabled, not approved, its entry cannot be read. */
  | { readonly type: "off"; readonly why: string };

/** A server as it is known now. A new object whenever anything of it changes; the same one while nothing does. */
export type ServerState = {
  /** Its alias: its key in the settings. */
  readonly name: string;
  /** Where its entry stands, for people. */
  readonly source: string;
  readonly status: ServerStatus;
  readonly limits: ServerLimits;
  /** What it last said while it was ready; stays where a crash left it, until it is up again or off. */
  readonly instructions: string | null;
  readonly tools: readonly ServerTool[];
  readonly hasResources: boolean;
  readonly prompts: readonly ServerPrompt[];
};

export type ServerPrompt = {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
};

export type ServerResource = {
  /** A template's `uri` has parts in braces to fill in (RFC 6570). */
  readonly kind: "resource" | "template";
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string | null;
  /** Bytes, where the server says. */
  readonly size: number | null;
};

/** One block of a result (PROTOCOLS F.3). `data` is base64. */
export type ServerContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly mediaType: string; readonly data: string }
  | ({ readonly type: "link" } & Omit<ServerResource, "kind">)
  | { readonly type: "embedded"; readonly uri: string; readonly mimeType: string | null; readonly text: string }
  | { readonly type: "blob"; readonly uri: string; readonly mimeType: string | null; readonly data: string }
  /** Of a type we do not know: its JSON. */
  | { readonly type: "other"; readonly json: string };

export type ServerAnswer =
  | {
      readonly type: "answer";
      readonly isError: boolean;
      readonly content: readonly ServerContent[];
      /** `structuredContent`, any JSON; undefined: none. */
      readonly structured: Json | undefined;
    }
  /** No answer of the server's own; `why` is a sentence that names the server. */
  | { readonly type: "failed" | "timed-out" | "interrupted"; readonly why: string };

export type ServerAsked = {
  readonly signal: AbortSignal;
  /** Progress in the server's words, for the screen. */
  readonly onProgress: (text: string) => void;
};

/**
 * The MCP servers of a session. Starting them never holds anybody up: `now` says what is known. No method throws or rejects;
 * each is bounded in time and size, and what a server does to harm (crash, hang, flood, rubbish on stdout) ends in its status.
 */
export interface Servers {
  /** In the order of their names, by code units. Every configured server, whatever its state. */
  now(): readonly ServerState[];
  /** Resolves once no server is starting, or after that time. */
  settled(msMax: number): Promise<void>;
  /** Calls back, at most once for what happens in quick succession, when `now` gives something else. Returns the end of it. */
  onChange(listener: () => void): () => void;
  call(
    of: { readonly server: string; readonly tool: string; readonly input: Json },
    asked: ServerAsked,
  ): Promise<ServerAnswer>;
  /** All of them, templates included; a sentence where they cannot be had. */
  resources(server: string, signal: AbortSignal): Promise<readonly ServerResource[] | string>;
  read(of: { readonly server: string; readonly uri: string }, asked: ServerAsked): Promise<ServerAnswer>;
  /** A prompt's messages as blocks of content, in order. */
  prompt(
    of: { readonly server: string; readonly prompt: string; readonly arguments: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<ServerAnswer>;
  /** Ends all of them, gently and then for good; resolves when none runs any more. */
  close(): Promise<void>;
}
