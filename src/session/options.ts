import type { Endpoint } from "../adapters/model-route.ts";
import type { AgentConfig } from "../agent/config.ts";
import type { Effects } from "../agent/effects.ts";
import type { Reductions } from "../agent/reductions.ts";
import type { Session } from "../agent/session.ts";
import type { PriceRow } from "../budget/price-row.ts";
import type { MemoryPolicy, WindowSettings } from "../budget/window.ts";
import type { ProjectId, SessionId } from "../kernel/ids.ts";
import { own } from "../kernel/own.ts";
import type { Wire } from "../kernel/usage.ts";
import type { ModelChoice, PermissionMode, Verbosity } from "../log/entry.ts";
import type { Model } from "../ports/model.ts";
import type { Damage, Stores } from "../ports/store.ts";
import type { Clock, Ids } from "../ports/world.ts";
import type { ListedModel } from "../provider/listed-model.ts";
import { usualModel } from "../provider/usual-model.ts";
import type { Guards } from "../workspace/guards.ts";
import type { HookRule } from "../workspace/hooks.ts";
import type { Rule } from "../workspace/rule.ts";
import type { ServerEntry } from "../workspace/server-settings.ts";
import type { SearchSettings } from "../workspace/settings.ts";

import type { Commands } from "./command-result.ts";

export type { Endpoint };

export type SessionOptions = {
  /** A model by name, with the usual settings, or with all that decides its cache key. */
  readonly model: string | ModelChoice;
  readonly endpoints: Partial<Readonly<Record<Wire, Endpoint>>>;
  /** The workspace: tools do not leave it. Absolute. */
  readonly cwd: string;
  /** Holds sessions and projects. Default: `~/.varve`. */
  readonly home?: string;
  readonly project?: ProjectId | null;
  /** Default `default`: reads are free, the rest asks, and without `ask` is refused. */
  readonly mode?: PermissionMode;
  /** How much the assistant says; left out: its usual. A resumed session keeps its own. */
  readonly verbosity?: Verbosity;
  /** How the assistant writes, by the name of an output style (docs/output-styles.md). A resumed session keeps its own. */
  readonly style?: string;
  readonly ask?: Effects["ask"];
  /** Rules that refuse, ask or allow beside the mode, and folders beside `cwd` that belong to the workspace. Default: none. */
  readonly permissions?: { readonly rules?: readonly Rule[]; readonly directories?: readonly string[] };
  /** Commands that are told of what happens, each trusted like the rest of its file (docs/hooks.md). Default: none. */
  readonly hooks?: readonly HookRule[];
  /** Masking, the environment and the sandbox of commands (docs/security.md). Default: `usualGuards`. */
  readonly guards?: Guards;
  /** Told, once, when a message of the user held a secret: it was masked before it was kept and sent. */
  readonly onMasked?: () => void;
  /** Told, once each, what is wrong with the project's and the user's own files for the agent; nothing stops for it. */
  readonly onNote?: (text: string) => void;
  /** Where the user's own files for the agent are (`.claude`, `.varve` in it). Default: the home directory; null: nowhere. */
  readonly userFolder?: string | null;
  /** MCP servers whose tools the session can find and call (docs/mcp.md). They start with it and end with it. Default: none. */
  readonly servers?: readonly ServerEntry[];
  /**
   * A server to search the web with (docs/tools.md); without one there is no WebSearch. `privateHosts`: hosts (`host:port`)
   * that WebFetch may read although they are private.
   */
  readonly web?: { readonly search?: SearchSettings | null; readonly privateHosts?: readonly string[] };
  /**
   * Whether the user approved that very text at that path: then what a command or a skill of the project allows runs unasked.
   * Default: never.
   */
  readonly isTrusted?: (file: { readonly path: string; readonly text: string }) => Promise<boolean>;
  /** Which session: a new one (default), one that exists, or a copy of one up to an entry (default: all of it). */
  readonly open?:
    | { readonly type: "new" }
    | { readonly type: "resume"; readonly session: string }
    | { readonly type: "fork"; readonly session: string; readonly upTo?: number };
  /**
   * How dynamic content is put together. `append` (default) never moves the prefix. `boundary` rebuilds the dynamic
   * sections each turn; where the model binds its reasoning to the prefix it is refused unless `boundary-forced`.
   */
  readonly assembly?: "append" | "boundary" | "boundary-forced";
  /** Model calls of one turn. Default and maximum: `bounds.stepsPerTurnMax`. */
  readonly stepsMax?: number;
  /** The chosen model's window where it is not the table's. */
  readonly window?: WindowSettings;
  /** The same for any model, by name. */
  readonly windows?: Readonly<Record<string, WindowSettings>>;
  /**
   * How windows are kept (docs/memory-window.md), of the chosen model and of any by name. Left out: epochs, but a sliding window
   * where the provider reads nothing again for less, or the window is too small for epochs.
   */
  readonly memory?: MemoryPolicy;
  readonly memoryByModel?: Readonly<Record<string, MemoryPolicy>>;
  /**
   * What the provider lists of the model. Left out: what is kept of it in the home, or else the provider is asked once,
   * shortly, where the model is known from nowhere else.
   */
  readonly listed?: ListedModel | null;
  /** Which reductions act beside first forms; left out, all of them do. A resumed session goes on with the provider's clearing. */
  readonly reductions?: Partial<Reductions>;
  /** Prices of one's own, which win over the table. */
  readonly prices?: readonly PriceRow[];
  /** For tests and embedding: parts of the world to use instead of the machine's own. */
  readonly world?: Partial<World>;
};

export type World = {
  readonly stores: Stores;
  readonly model: Model;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How results enter the prompt; the demo's comparison run shows them whole. */
  readonly firstForm: AgentConfig["firstForm"];
};

export type OpenSession = Session &
  Commands & {
    readonly id: SessionId;
    /** What reading the log found wrong; the session goes on. */
    readonly damage: readonly Damage[];
    /** What the user should know of the model: that it is on its way out. */
    readonly warnings: readonly string[];
    /** Ends what runs, keeps a checkpoint, gives the lease back. */
    close(): Promise<void>;
  };

/** Why a session could not be opened. `busy`: another process has it; `refused`: the store cannot be written or read. */
export class SessionOpenError extends Error {
  readonly code: "busy" | "refused" | "not-found";
  constructor(code: SessionOpenError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

export type Described = SessionOptions & { readonly listed: ListedModel | null };

export function modelOf({ model, window, windows = {}, listed }: Described): ModelChoice {
  return typeof model === "string" ? usualModel(model, undefined, window ?? own(windows, model), listed) : model;
}
