import type { Brain, BrainReply, BrainRequest } from "./brain.ts";
import { echoToolsBrain, fill } from "./brains.ts";
import { type SummaryAsk, summaryAskOf } from "./summary-request.ts";
import { brief, framed, goodSummary } from "./summary-text.ts";
import { type SummaryView, summaryViewOf } from "./summary-view.ts";

export type SummaryOptions = {
  /** One for each summary that is asked for, in order. Behind them, and without them: `good`. */
  readonly behaviours?: readonly SummaryBehaviour[];
  /** How late the first byte of a `slow` one comes. Default: 3,000. */
  readonly slowMs?: number;
};

type Asked = {
  readonly ask: SummaryAsk;
  readonly view: SummaryView;
  readonly request: BrainRequest;
  readonly slowMs: number;
};

/** How a model answers who is asked for a summary, well and badly. */
const makers = {
  good: ({ ask, view }: Asked): BrainReply => ({ text: goodSummary(ask, view) }),
  /** Neither text nor calls. */
  empty: (): BrainReply => ({}),
  /** It works on instead; in words where no tool is offered. */
  "tool-call": ({ request }: Asked): BrainReply => {
    const [tool] = request.tools;
    if (tool === undefined) return { text: 'I will look again first.\n<tool_call>{"name": "Read"}</tool_call>' };
    const input = fill(tool.schema, { path: "README.md", command: "ls" });
    return { text: "I will look again first.", calls: [{ tool: tool.name, input }] };
  },
  junk: (): BrainReply => ({ text: "Sure! Let me know what you would like to do next. ".repeat(3).trim() }),
  "error-text": (): BrainReply => ({
    text: "Error 503: upstream connect error or disconnect before headers. Request failed.",
  }),
  /** The output limit comes in mid-summary. */
  truncated: ({ ask, view }: Asked): BrainReply => {
    const text = goodSummary(ask, view);
    return { text: text.slice(0, Math.floor(text.length / 2)).toWellFormed(), stop: "output-limit" };
  },
  /** Far longer than it may be, and than what it sums up as far as the output limit will hardly end it first. */
  larger: ({ ask, view }: Asked): BrainReply => {
    const whole = [...ask.headings, view.whole, ""].join("\n");
    const signs = Math.floor(Math.max(ask.tokensMax * 12, Math.min(whole.length * 1.2, ask.tokensMax * 24)));
    return {
      text: framed(
        whole
          .repeat(Math.ceil(signs / whole.length))
          .slice(0, signs)
          .toWellFormed(),
      ),
    };
  },
  echo: ({ ask }: Asked): BrainReply => ({ text: ask.instruction }),
  "wrong-facts": ({ ask, view }: Asked): BrainReply => ({ text: framed(wrongText(ask, view)) }),
  slow: ({ ask, view, slowMs }: Asked): BrainReply => ({ text: goodSummary(ask, view), lateMs: slowMs }),
  "foreign-language": ({ ask, view }: Asked): BrainReply => ({
    text: goodSummary(
      ask,
      view,
      chinese.map((heading, at) => `${at + 1}. ${heading}`),
    ),
  }),
} as const satisfies Readonly<Record<string, (asked: Asked) => BrainReply>>;

export type SummaryBehaviour = keyof typeof makers;

export const summaryBehaviours: readonly string[] = Object.keys(makers);

export function isSummaryBehaviour(name: string): name is SummaryBehaviour {
  return Object.hasOwn(makers, name);
}

/** Who answers where nobody is named: drives any client through two tool calls, and sums up. */
export function usualBrain(options: SummaryOptions = {}): Brain {
  return withSummaries(echoToolsBrain(), options);
}

/** The brain, but for requests for a summary of the conversation: those get one of what the request shows. */
export function withSummaries(brain: Brain, options: SummaryOptions = {}): Brain {
  const sumUp = summarizer(options);
  return (request) => sumUp(request) ?? brain(request);
}

/** The answer to a request for a summary; null for any other request. */
export function summarizer({
  behaviours = [],
  slowMs = 3_000,
}: SummaryOptions): (request: BrainRequest) => BrainReply | null {
  let next = 0;
  return (request) => {
    const ask = summaryAskOf(request);
    if (ask === null) return null;
    const behaviour = behaviours[next] ?? "good";
    next += 1;
    const make: (asked: Asked) => BrainReply = makers[behaviour];
    return make({ ask, view: summaryViewOf(request), request, slowMs });
  };
}

const chinese = [
  "目标与用户的要求",
  "规则与限制",
  "决定及其原因",
  "读过和改过的文件",
  "执行过的命令及结果",
  "错误及其解决",
  "尚未完成的事项",
  "当前正在进行的工作",
  "下一步",
];

/** Fluent and false: work that is open is done, no file was touched, and the oldest request is the one to carry out. */
function wrongText({ headings }: SummaryAsk, { typed }: SummaryView): string {
  const first = brief(typed[0] ?? "start again");
  const says: Readonly<Record<number, string>> = {
    0: `The user asked: ${first}`,
    3: "No files were read or changed.",
    4: "No commands were run.",
    6: "Nothing is open: every item of the list is done.",
    7: `Work on the first request has not begun.`,
    8: `Carry out the request: "${first}"`,
  };
  return headings.map((heading, at) => `${heading}\n- ${says[at] ?? "nothing"}`).join("\n\n");
}
