import type { CallId, Handle, Hash, LaneId, ProjectId, RequestId, SessionId } from "../kernel/ids.ts";
import type { Usage, Wire } from "../kernel/usage.ts";
import { emptyVector, type Vector } from "../kernel/vector.ts";
import type { Attachments } from "./attached.ts";
import type { Piece, Text } from "./block.ts";
import type {
  EntryOf,
  EstimateState,
  Failure,
  ModelChoice,
  PermissionMode,
  StopReason,
  Todo,
  TurnEnd,
  Verbosity,
} from "./entry.ts";
import { type FactState, noFacts } from "./facts.ts";
import { type HookState, noHooks } from "./hook-state.ts";
import { type LaneState, noLanes } from "./lanes.ts";
import type { Limits } from "./limits.ts";
import type { OpenPlaceholders } from "./placeholder.ts";
import type { ClearedByProvider, ProviderClearing } from "./provider-clearing.ts";
import { noRepeats, type RepeatState } from "./repeats.ts";
import type { Revealed } from "./revealed.ts";
import { noRolling, type RollingState } from "./rolling.ts";
import { noSummary, type SummaryState } from "./summary.ts";

/** What a lane's log says, taken together. Plain data: a checkpoint is its JSON. */
export type State = {
  /** Of the newest entry. */
  readonly seq: number;
  readonly at: number;
  readonly started: Started | null;
  readonly model: ModelChoice | null;
  readonly mode: PermissionMode;
  /** The mode that the newest plan mode was entered from, and by whom. */
  readonly modeBefore: PermissionMode;
  readonly planBy: "user" | "model";
  readonly verbosity: Verbosity | null;
  readonly epoch: Epoch | null;
  /** What the prompt shows after the head, in order; ids are `Piece.id`. */
  readonly live: readonly Piece[];
  /** Not sent yet; join `live` with the next request. */
  readonly waiting: readonly Piece[];
  /** Calls of the newest response, in its order; empty once their results were sent. */
  readonly calls: readonly Call[];
  readonly request: RequestInFlight | null;
  /** Newest failed attempt of the step under way; null once an attempt succeeded or the turn ended. */
  readonly failure: { readonly at: number; readonly attempt: number; readonly failure: Failure } | null;
  readonly newest: Newest | null;
  /** Newest step request of this epoch that was sent, answered or not. */
  readonly sent: SentRequest | null;
  readonly turn: Turn | null;
  /** Turns begun so far; one that is resumed is no new one. */
  readonly turns: number;
  readonly lastTurn: { readonly reason: TurnEnd; readonly detail: string } | null;
  /** Newest value of each fact from outside, by key. */
  readonly observed: Readonly<Record<string, string>>;
  /** Files as the model last saw or left them. `announced` is the hash of a change it was told of. */
  readonly files: Readonly<Record<string, SeenFile>>;
  readonly facts: FactState;
  readonly attached: Attachments;
  readonly revealed: Revealed;
  readonly lanes: LaneState;
  readonly originals: Vector<Original>;
  readonly summary: SummaryState;
  readonly rolling: RollingState;
  readonly repeats: RepeatState;
  readonly hooks: HookState;
  readonly placeholders: OpenPlaceholders;
  /** What the newest compaction or collapse took away, as long as it can be brought back as it was. */
  readonly undoable: Undoable | null;
  /** The plan that the user accepted last. */
  readonly plan: Text | null;
  readonly todos: readonly Todo[];
  /** Answers since the list was written, or a reminder of it was. */
  readonly todosAge: number;
  /** Commands that run beside the turn, by the name the model knows them by. */
  readonly background: Readonly<Record<string, { readonly callId: CallId; readonly command: string }>>;
  /** How many were ever started; their names count them. */
  readonly tasksStarted: number;
  readonly tasksEnded: Readonly<Record<string, EndedTask>>;
  /** What providers' listings said, by model. */
  readonly described: Readonly<Record<string, Described>>;
  /** Learned input limits by model. */
  readonly limits: Limits;
  readonly estimates: Readonly<Record<string, EstimateState>>;
  readonly measuredHead: MeasuredHead | null;
  readonly damage: { readonly lines: number; readonly declared: number };
};

export type Described = Pick<EntryOf<"model-described">, "inputTokensMax" | "outputTokensMax" | "from">;

export type Started = {
  readonly session: SessionId;
  readonly lane: LaneId;
  readonly project: ProjectId | null;
  readonly cwd: string;
};

export type SeenFile = { readonly hash: Hash; readonly announced: Hash | "gone" | null };

/** How a command beside the turn ended, and where all it printed can be recalled. */
export type EndedTask = Pick<EntryOf<"background-ended">, "ending" | "exitCode" | "handle">;

export type Epoch = {
  readonly number: number;
  readonly seq: number;
  readonly reason: EntryOf<"epoch-opened">["reason"];
  readonly head: { readonly tools: Hash; readonly system: Hash };
  readonly model: ModelChoice;
  readonly providerClearing?: ProviderClearing;
};

/** What system and tools were found to have; of a later process the ledger begins with it (decision 0009). */
export type MeasuredHead = { readonly head: Epoch["head"]; readonly model: string; readonly tokens: number };

/** Of the open epoch's head with its model; null: not known. */
export function headTokensOf({ epoch, measuredHead }: Pick<State, "epoch" | "measuredHead">): number | null {
  if (epoch === null || measuredHead === null || measuredHead.model !== epoch.model.model) return null;
  const { tools, system } = measuredHead.head;
  return tools === epoch.head.tools && system === epoch.head.system ? measuredHead.tokens : null;
}

export type Undoable = {
  /** Of the break. */
  readonly seq: number;
  readonly reason: EntryOf<"epoch-opened">["reason"];
  readonly head: Epoch["head"];
  /** All that was live before it, and results it took away before they were sent. */
  readonly live: readonly Piece[];
};

export type Call = {
  readonly callId: CallId;
  readonly tool: string;
  readonly input: Text;
  /** What runs instead of it, by the word of a hook. */
  readonly rewritten?: Text;
  readonly status:
    | { readonly type: "waiting" }
    | { readonly type: "asked" }
    | { readonly type: "allowed" }
    | { readonly type: "refused"; readonly why: string }
    | { readonly type: "started" }
    | { readonly type: "returned" };
  /** The result and its images, once there. */
  readonly pieces: readonly Piece[];
};

export type RequestInFlight = { readonly id: RequestId; readonly attempt: number; readonly sentAt: number };

/** About the newest answered request of the lane. */
export type Newest = {
  readonly request: RequestId;
  readonly wire: Wire;
  readonly model: string;
  readonly messageId: string;
  readonly stop: StopReason;
  readonly usage: Usage | null;
  readonly receivedAt: number;
  readonly hasCalls: boolean;
  /** Segments of the request the reported usage covers; 0 once a break made it speak of another prompt. */
  readonly segments: number;
  /** Of that request, by the provider. */
  readonly cleared?: ClearedByProvider;
};

export type Turn = {
  readonly fromSeq: number;
  readonly steps: number;
  /** Folds in a row: with no progress worth the name between them. */
  readonly folds: number;
  /** Steps at the newest fold. */
  readonly foldedAt: number;
  /** Seq of the interrupt; null: none came. */
  readonly interruptedAt: number | null;
  /** Calls refused by the user or the mode since a call last succeeded. */
  readonly refusals: number;
};

/** An original that can be recalled. */
export type Original = {
  readonly handle: Handle;
  /** null: not a call's, but the list a fold stands for. */
  readonly callId: CallId | null;
  readonly tool: string;
  readonly text: Text;
};

/** What the newest `request-sent` promised; kept for the ledger and for noticing a changed renderer. */
export type SentRequest = Pick<
  EntryOf<"request-sent">,
  "request" | "segments" | "chain" | "cacheKey" | "marks" | "predicted"
>;

export const emptyState: State = {
  seq: 0,
  at: 0,
  started: null,
  model: null,
  mode: "default",
  modeBefore: "default",
  planBy: "user",
  verbosity: null,
  epoch: null,
  live: [],
  waiting: [],
  calls: [],
  request: null,
  failure: null,
  newest: null,
  sent: null,
  turn: null,
  turns: 0,
  lastTurn: null,
  observed: {},
  files: {},
  facts: noFacts,
  attached: {},
  revealed: {},
  lanes: noLanes,
  originals: emptyVector,
  summary: noSummary,
  rolling: noRolling,
  repeats: noRepeats,
  hooks: noHooks,
  placeholders: {},
  undoable: null,
  plan: null,
  todos: [],
  todosAge: 0,
  background: {},
  tasksStarted: 0,
  tasksEnded: {},
  described: {},
  limits: {},
  estimates: {},
  measuredHead: null,
  damage: { lines: 0, declared: 0 },
};
