import type { Item } from "../import/transcript.ts";
import { bounds } from "../kernel/bounds.ts";
import { adviceOf } from "./advice.ts";
import { findingsOf, openFindings } from "./findings.ts";
import { openMeter } from "./meter.ts";
import { basisOf, partsOf, serversOf } from "./part-rows.ts";
import { addSums, openParts, type PartEntry } from "./parts.ts";
import type { AuditReport, AuditTotals, SessionAudit, SkippedFile } from "./report.ts";
import { openSession, type Source } from "./session.ts";
import { spanOf } from "./span.ts";

/** Files are audited one after the other; what is kept of each is its `SessionAudit`. */
export type Audit = {
  /** One session of a file. */
  readonly session: (source: Source) => SessionAuditor;
  readonly skip: (file: string, why: string) => void;
  /** Sessions that are still open are taken as they are. */
  readonly report: (options?: { readonly isPartial?: boolean }) => AuditReport;
};

export type SessionAuditor = { readonly push: (item: Item) => void; readonly end: () => void };

export function openAudit(): Audit {
  const meter = openMeter();
  const findings = openFindings();
  const parts = openParts();
  const seen = new Map<number, number>();
  const sessions: SessionAudit[] = [];
  const skipped: SkippedFile[] = [];
  const open = new Set<SessionAuditor>();
  let opened = 0;
  const session = (source: Source): SessionAuditor => {
    opened += 1;
    const own = opened;
    const isCopied = (key: number): boolean => {
      const first = seen.get(key);
      if (first === undefined) seen.set(key, own);
      return first !== undefined && first !== own;
    };
    const inner = openSession(source, { meter, findings, isCopied });
    const auditor: SessionAuditor = {
      push: (item) => inner.push(item),
      end: () => {
        if (!open.delete(auditor)) return;
        const { audit, parts: found } = inner.end();
        addParts(found, parts);
        sessions.push(audit);
        leaveLargestSeries(sessions, basisOf(meter.sums()));
      },
    };
    open.add(auditor);
    return auditor;
  };
  return {
    session,
    skip: (file, why) => skipped.push({ file, why }),
    report: ({ isPartial = false } = {}) => {
      for (const auditor of [...open]) auditor.end();
      const rows = parts.all.map((part) => ({ ...part, sums: part.counted }));
      const sums = meter.sums();
      const basis = basisOf(sums);
      const totals: AuditTotals = {
        ...sums,
        basis,
        sessions: sessions.length,
        lanes: sessions.reduce((lanes, one) => lanes + one.lanes.length + one.lanesLeftOut, 0),
        ...spanOf(sessions),
        parts: partsOf(rows, sums, basis),
        servers: serversOf(rows, sums, basis),
        findings: findingsOf(findings),
      };
      const damaged = new Set(sessions.filter(isDamaged).map(({ file }) => file));
      return {
        partial: isPartial,
        totals,
        sessions: sessions.toSorted((a, b) => sizeOf(b, basis) - sizeOf(a, basis)),
        advice: adviceOf(totals),
        varve: null,
        skipped: [...skipped],
        warnings: skipped.length + damaged.size,
      };
    },
  };
}

function isDamaged({ unreadable, impossibleReports }: SessionAudit): boolean {
  return unreadable + impossibleReports > 0;
}

/** Only what no earlier file holds. */
function addParts(found: readonly PartEntry[], to: ReturnType<typeof openParts>): void {
  for (const part of found) addSums(to.at(to.indexOf(part)).counted, part.counted);
}

function sizeOf(session: SessionAudit, basis: AuditTotals["basis"]): number {
  const tokens = session.promptTokens + session.estimatedPromptTokens + session.usage.output;
  return basis === "usd" ? (session.money.usd ?? 0) * 1e9 + tokens / 1e9 : tokens;
}

/** A picture shows few sessions; thousands of points of each of the others would fill the memory. */
function leaveLargestSeries(sessions: SessionAudit[], basis: AuditTotals["basis"]): void {
  const drawn = sessions.filter(({ series }) => series !== null);
  if (drawn.length <= bounds.seriesMax) return;
  const smallest = drawn.reduce((a, b) => (sizeOf(b, basis) < sizeOf(a, basis) ? b : a));
  sessions[sessions.indexOf(smallest)] = { ...smallest, series: null };
}
