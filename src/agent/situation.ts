import type { CallId } from "../kernel/ids.ts";
import type { BreakReason, TurnEnd } from "../log/entry.ts";
import type { SummaryScope, SummaryTry } from "../log/summary.ts";
import type { Costs } from "../reduction/costs.ts";

export type Pressure = Costs["pressure"];

/** Events of the loop itself; those of calls and messages are told where these are taken up. */
export type LoopEvent = "Stop" | "SubagentStop" | "StopFailure" | "PreCompact" | "PostCompact" | "SessionStart";

/** What to start now. Each is performed by the driver; none is performed here. */
export type Effect =
  | {
      readonly type: "open-epoch";
      readonly reason: "start" | BreakReason;
      readonly detail: string;
      /** Whether what was sent would still be sent so, the new head apart: reasoning is valid only behind the same text. */
      readonly sent: "stands" | "changed";
    }
  /** Shorter first forms, or a break that clears or collapses. */
  | { readonly type: "reduce"; readonly pressure: Pressure; readonly why: string }
  /** A side request for a summary of finished work. */
  | { readonly type: "summarize"; readonly as: SummaryTry; readonly scope: SummaryScope; readonly why: string }
  /** Finished work goes: behind a summary where one was made, else folded without a model, and `unasked` says why. */
  | { readonly type: "compact"; readonly pressure: Pressure; readonly why: string; readonly unasked: string }
  | { readonly type: "refuse-compaction"; readonly why: string }
  /** Law 6: facts that the next request would not show are said at its end. */
  | { readonly type: "show-facts" }
  | { readonly type: "send-request"; readonly attempt: number }
  /** `forMs`: never longer than this, should the clock be put back while it waits. */
  | { readonly type: "wait"; readonly untilMs: number; readonly forMs: number; readonly why: string }
  | { readonly type: "permit"; readonly callId: CallId }
  | { readonly type: "run-tool"; readonly callId: CallId }
  | {
      readonly type: "close-call";
      readonly callId: CallId;
      readonly ending: "refused" | "not-run";
      readonly why: string;
    }
  /** Before what was decided is done: hooks are told of it. */
  | { readonly type: "tell-hooks"; readonly event: LoopEvent; readonly subject: string }
  | { readonly type: "end-turn"; readonly reason: TurnEnd; readonly detail: string };

/** All that deciding needs besides the log's state. `forecast` is asked only when a request is due. */
export type Situation = {
  readonly now: number;
  readonly stepsMax: number;
  /** The wire encoder yields other segments than the ledger recorded: noticed when the session was opened. */
  readonly rendererChanged: boolean;
  /** Reading the log found damage; together with `rendererChanged` it is the cause. */
  readonly damaged: boolean;
  /** In `boundary` assembly: the dynamic sections, rebuilt now, are not those of the head. */
  readonly sectionsChanged: () => boolean;
  /** The stored head of the epoch cannot be read any more. */
  readonly headLost: boolean;
  readonly isReadOnly: (tool: string) => boolean;
  /** Whether some fact in force is not to be seen in the next request, or only far from its end. */
  readonly factsDue: () => boolean;
  readonly forecast: () => Forecast;
  /** What would be taken away from the next request under that pressure. */
  readonly planned: (pressure: Pressure) => Planned;
  readonly summaries: Summaries;
};

/** `worth`: of a compaction, whether what is left of the request fits, so that asking a model for a summary pays. */
export type Planned =
  | { readonly type: "nothing" | "forms" | "cleared" | "collapsed" | "window-slid" }
  | { readonly type: "compacted"; readonly worth: boolean };

export type Summaries = {
  /** `off`: by the settings. `cold`: the cache is certainly gone, and reading all again costs more than folding. */
  readonly use: "on" | "off" | "cold";
  /** Whether the provider sums up by itself, and the user wants that. */
  readonly native: () => boolean;
  /** Whether the next request and one more message fit; else a shortened copy, where that does. */
  readonly rides: () => boolean;
  readonly shortFits: () => boolean;
  /** A compaction that the user asked for. */
  readonly asked: () =>
    | { readonly type: "worth" }
    | { readonly type: "fold" }
    | { readonly type: "refused"; readonly why: string };
};

/** Law 5 in numbers: `promptTokens + marginTokens` must not exceed `lineTokens`. */
export type Forecast = {
  readonly promptTokens: number;
  readonly marginTokens: number;
  /** Above this line what brings the request well below it goes, above the hard line whatever can. */
  readonly autoTokens: number;
  readonly lineTokens: number;
  /** Nothing above this is ever sent. */
  readonly usableTokens: number;
  /** What no fold can take away: head, user context, newest request, results no answer has seen. */
  readonly fixedTokens: number;
  /** System, tools and the newest message: no reduction makes them less. */
  readonly floorTokens: number;
};
