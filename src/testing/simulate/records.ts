import type { Wire } from "../../kernel/usage.ts";
import type { Dropped } from "./binding.ts";
import type { MissCause } from "./miss.ts";
import type { SimKind, SimMark, SimRole } from "./segment.ts";

/** One received model request, as the simulator saw it. */
export type SimRecord = {
  readonly n: number;
  readonly at: number;
  readonly wire: Wire;
  readonly path: string;
  /** The request's `x-sim-purpose` header, where a test sets one. */
  readonly purpose: string | null;
  readonly model: string;
  readonly lane: string | null;
  readonly body: string;
  readonly segments: readonly {
    readonly kind: SimKind;
    readonly role: SimRole;
    readonly path: string;
    readonly hash: string;
    readonly tokens: number;
    readonly mark: SimMark | null;
    /** Of a result that brings definitions of tools. */
    readonly bare?: string;
  }[];
  readonly promptTokens: number;
  readonly windowTokens: number;
  readonly readTokens: number;
  readonly write5mTokens: number;
  readonly write1hTokens: number;
  readonly writeOtherTokens: number;
  /** Those of `writeOtherTokens` that live for 12 hours. */
  readonly write12hTokens: number;
  readonly outputTokens: number;
  readonly missCause: MissCause | null;
  readonly missTokens: number;
  /** The prompt was larger than the window: refused, or silently cut where the model does that. */
  readonly overflow: boolean;
  readonly violation: { readonly rule: string; readonly paragraph: string; readonly message: string } | null;
  readonly fault: string | null;
  readonly dropped: readonly Dropped[];
  readonly messageId: string | null;
  readonly status: number;
};

export type Report = {
  readonly requests: number;
  readonly refused: number;
  readonly overflows: number;
  readonly violations: Readonly<Record<string, number>>;
  readonly faults: number;
  readonly misses: Readonly<Record<string, number>>;
  readonly promptTokens: number;
  readonly readTokens: number;
  readonly write5mTokens: number;
  readonly write1hTokens: number;
  readonly writeOtherTokens: number;
  readonly outputTokens: number;
  readonly droppedThinking: number;
  /** Records given up to stay within bounds; the totals above still count them. */
  readonly recordsDropped: number;
};

export type Records = {
  put(record: SimRecord): void;
  /** Replaces a kept record by its completed form. */
  finish(record: SimRecord): void;
  all(): readonly SimRecord[];
  report(): Report;
  clear(): void;
};

const emptyReport: Report = {
  requests: 0,
  refused: 0,
  overflows: 0,
  violations: {},
  faults: 0,
  misses: {},
  promptTokens: 0,
  readTokens: 0,
  write5mTokens: 0,
  write1hTokens: 0,
  writeOtherTokens: 0,
  outputTokens: 0,
  droppedThinking: 0,
  recordsDropped: 0,
};

/** Keeps the newest records within both bounds; the totals cover all that ever came. */
export function createRecords(bounds: { readonly countMax: number; readonly charsMax: number }): Records {
  const kept = new Map<number, SimRecord>();
  let chars = 0;
  let totals = emptyReport;
  return {
    put(record) {
      kept.set(record.n, record);
      chars += record.body.length;
      for (const [n, oldest] of kept) {
        if (n === record.n || (kept.size <= bounds.countMax && chars <= bounds.charsMax)) break;
        kept.delete(n);
        chars -= oldest.body.length;
        totals = { ...totals, recordsDropped: totals.recordsDropped + 1 };
      }
    },
    finish(record) {
      if (kept.has(record.n)) kept.set(record.n, record);
      totals = counted(totals, record);
    },
    all: () => [...kept.values()],
    report: () => totals,
    clear() {
      kept.clear();
      chars = 0;
      totals = emptyReport;
    },
  };
}

function counted(report: Report, record: SimRecord): Report {
  const isRefused = record.status >= 400;
  const used = isRefused ? { ...record, promptTokens: 0 } : record;
  return {
    ...report,
    requests: report.requests + 1,
    refused: report.refused + (isRefused ? 1 : 0),
    overflows: report.overflows + (record.overflow ? 1 : 0),
    violations: record.violation === null ? report.violations : plusOne(report.violations, record.violation.rule),
    faults: report.faults + (record.fault === null ? 0 : 1),
    misses: record.missCause === null ? report.misses : plusOne(report.misses, record.missCause),
    promptTokens: report.promptTokens + used.promptTokens,
    readTokens: report.readTokens + record.readTokens,
    write5mTokens: report.write5mTokens + record.write5mTokens,
    write1hTokens: report.write1hTokens + record.write1hTokens,
    writeOtherTokens: report.writeOtherTokens + record.writeOtherTokens,
    outputTokens: report.outputTokens + record.outputTokens,
    droppedThinking: report.droppedThinking + record.dropped.length,
  };
}

function plusOne(counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> {
  return { ...counts, [key]: (counts[key] ?? 0) + 1 };
}

/** A request that has just come in: nothing of it is known yet but that it came. */
export function newRecord(
  of: Pick<SimRecord, "n" | "at" | "wire" | "path" | "purpose" | "model" | "body" | "fault">,
): SimRecord {
  return {
    ...of,
    lane: null,
    segments: [],
    promptTokens: 0,
    windowTokens: 0,
    readTokens: 0,
    write5mTokens: 0,
    write1hTokens: 0,
    writeOtherTokens: 0,
    write12hTokens: 0,
    outputTokens: 0,
    missCause: null,
    missTokens: 0,
    overflow: false,
    violation: null,
    dropped: [],
    messageId: null,
    status: 0,
  };
}
