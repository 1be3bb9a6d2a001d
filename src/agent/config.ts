import type { PriceOptions } from "../budget/prices.ts";
import type { MemoryPolicy, WindowSettings } from "../budget/window.ts";
import type { FirstForm, FormInput } from "../digest/form.ts";
import type { Wire } from "../kernel/usage.ts";
import type { Entry, PermissionMode } from "../log/entry.ts";
import type { Assembly } from "../prompt/sections.ts";
import type { Codec } from "../provider/codec.ts";
import type { Access, Tool } from "../tools/tool.ts";
import type { Caps } from "../workspace/context-budget.ts";
import type { Limited } from "../workspace/permission-limits.ts";
import type { Reductions } from "./reductions.ts";
import type { ServerTools } from "./server-tools.ts";

/** What the permission layer says of one call. */
export type Verdict = {
  readonly type: "allow" | "ask" | "deny";
  readonly why: string;
  /** What decided. Default `mode`. */
  readonly by?: "mode" | "rule";
};

/** All that is fixed while a session is open and is not an effect: pure functions and tables. */
export type AgentConfig = {
  readonly codecFor: (wire: Wire) => Codec;
  readonly tools: readonly Tool[];
  /** Tools of MCP servers, which come and go; null: no server is configured. */
  readonly serverTools: ServerTools | null;
  readonly permission: (call: {
    readonly mode: PermissionMode;
    readonly tool: string;
    readonly access: Access;
    /** As the model gave it: rules may look at a field. */
    readonly input: unknown;
    /** Skills and commands that limit it. Default: none. */
    readonly limited?: readonly Limited[];
    /** A hook allows it, as a rule for its tool would. Default: none does. */
    readonly allowedBy?: "hook" | null;
  }) => Promise<Verdict> | Verdict;
  readonly firstForm: (input: FormInput) => FirstForm;
  /** The user's own window for a model, which wins over the table; null: none set. */
  readonly windowFor: (model: string) => WindowSettings | null;
  /** How the user wants a model's window kept; null: as it suits the model (`memory/window.ts`). */
  readonly memoryFor: (model: string) => MemoryPolicy | null;
  /** Where tools work: the session's folder, or where its project stands now. */
  readonly cwd: string;
  /** The project's own caps, as they stand now; null: it has none, and the program's hold. */
  readonly caps: () => Caps | null;
  readonly reductions: Reductions;
  /** By which what a break costs and brings is told. */
  readonly prices: PriceOptions;
  /** How dynamic content is put together (M-52); `append` is the product's. */
  readonly assembly: Assembly;
  /** Steps of one turn before it ends with `step-limit`. */
  readonly stepsMax: number;
};

/** What a listener hears: every entry once it is stored, and what is only for the screen. */
export type SessionEvent =
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call-start"; readonly tool: string }
  | { readonly type: "progress"; readonly callId: string; readonly text: string }
  | { readonly type: "waiting"; readonly untilMs: number; readonly why: string };
