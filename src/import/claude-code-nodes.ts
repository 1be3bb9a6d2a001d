import { type IdMap, numberIn, openIdMap } from "./id-map.ts";
import { openNumberList } from "./number-list.ts";
import type { Range } from "./range.ts";

/** What a line is to the tree. `opening`: what stands in front of a turn, as reminders do. */
export type Weight = "turn" | "answer" | "opening" | "aside";

export type Node = {
  /** -1 begins a tree. */
  readonly parent: number;
  readonly weight: Weight;
  readonly request: string | null;
  readonly calls: readonly string[];
  readonly answers: readonly string[];
  readonly items: Range;
  /** Of a compaction: what it kept of the lines before it. */
  readonly keeps: readonly Range[];
};

export type Nodes = ReturnType<typeof openNodes>;

/** The lines of a lane by number, in columns: a file may have millions, and an object for each would fill the memory. */
export function openNodes() {
  const requestIds = openIdMap();
  const callIds = openIdMap();
  const parents = openNumberList();
  const weightsOf = openNumberList();
  const firstItems = openNumberList();
  const lastItems = openNumberList();
  const requests = openNumberList();
  const calls = openIdLists(callIds);
  const answers = openIdLists(callIds);
  const keeps = new Map<number, readonly Range[]>();
  return {
    size: parents.size,
    add: (node: Node): void => {
      if (node.keeps.length > 0) keeps.set(parents.size(), node.keeps);
      parents.push(node.parent);
      weightsOf.push(weights.indexOf(node.weight));
      firstItems.push(node.items[0]);
      lastItems.push(node.items[1]);
      requests.push(node.request === null ? none : numberIn(requestIds, node.request));
      calls.push(node.calls);
      answers.push(node.answers);
    },
    parent: (at: number): number => parents.at(at) ?? none,
    weight: (at: number): Weight => weights[weightsOf.at(at) ?? none] ?? "aside",
    /** Equal for lines of one answer; null: of none. */
    request: (at: number): number | null => {
      const request = requests.at(at) ?? none;
      return request === none ? null : request;
    },
    /** A call and its result have the same number. */
    calls: calls.at,
    answers: answers.at,
    items: (at: number): Range => [firstItems.at(at) ?? 0, lastItems.at(at) ?? none],
    keeps: (at: number): readonly Range[] => keeps.get(at) ?? [],
  };
}

const none = -1;
const weights: readonly Weight[] = ["turn", "answer", "opening", "aside"];

/** Mostly none or one; the few longer lists stand apart. */
function openIdLists(ids: IdMap) {
  const firsts = openNumberList();
  const longer = new Map<number, readonly number[]>();
  return {
    push: (texts: readonly string[]): void => {
      const numbers = texts.map((text) => numberIn(ids, text));
      if (numbers.length > 1) longer.set(firsts.size(), numbers);
      firsts.push(numbers[0] ?? none);
    },
    at: (index: number): readonly number[] => {
      const first = firsts.at(index) ?? none;
      return first === none ? [] : (longer.get(index) ?? [first]);
    },
  };
}
