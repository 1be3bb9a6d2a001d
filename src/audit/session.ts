import { windowOf } from "../budget/window.ts";
import type { Format, Item } from "../import/transcript.ts";
import { bounds } from "../kernel/bounds.ts";
import { excerptOf } from "./excerpt.ts";
import { addBlocks, addMiss, type FindingSums, findingsOf, openFindings } from "./findings.ts";
import { type Call, type Lane, openLane } from "./lane.ts";
import { type Meter, openMeter } from "./meter.ts";
import { basisOf, partsOf, serversOf } from "./part-rows.ts";
import { openParts, type PartEntry } from "./parts.ts";
import type { Example, LaneAudit, Series, SessionAudit } from "./report.ts";
import type { Settling } from "./settle.ts";
import { spanOf } from "./span.ts";
import { type SessionNotes, settleAll, takeItem, timeOf } from "./take.ts";

export type Source = { readonly file: string; readonly format: Format };

/** What sessions share: sums in which a copied call counts once. */
export type Shared = {
  readonly meter: Meter;
  readonly findings: FindingSums;
  /** Whether an earlier session holds the call with this key. */
  readonly isCopied: (key: number) => boolean;
};

export type OpenSession = {
  readonly push: (item: Item) => void;
  /** Once, at the end. */
  readonly end: () => { readonly audit: SessionAudit; readonly parts: readonly PartEntry[] };
};

const mainLane = "main";

/** Audits one session as its items pass. */
export function openSession(source: Source, shared: Shared): OpenSession {
  const lanes = new Map<string, Lane>();
  const parts = openParts();
  const meter = openMeter();
  const findings = openFindings();
  const notes: SessionNotes = {
    called: new Set(),
    session: null,
    cwd: null,
    version: null,
    items: 0,
    unreadable: 0,
    unknown: 0,
    impossible: 0,
  };
  let newestAt: number | null = null;
  const settling: Settling = {
    parts,
    meter,
    totals: shared.meter,
    isCopied: shared.isCopied,
    newestAt: () => newestAt,
    ...finders(source.file, [findings, shared.findings]),
  };
  const laneOf = (name: string): Lane => {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    if (lanes.size >= bounds.auditLanesMax && name !== otherLanes) return laneOf(otherLanes);
    const lane = openLane(excerptOf(name), name === mainLane || lanes.size === 0);
    lanes.set(name, lane);
    return lane;
  };
  return {
    push: (item) => {
      const lane = laneOf(item.lane);
      const at = timeOf(item.at);
      if (at !== null) {
        newestAt = Math.max(newestAt ?? at, at);
        lane.firstAt = Math.min(lane.firstAt ?? at, at);
        lane.lastAt = Math.max(lane.lastAt ?? at, at);
      }
      takeItem(lane, item, { notes, parts, settling });
    },
    end: () => {
      const all = [...lanes.values()];
      for (const lane of all) settleAll(lane, settling);
      const partOf = (block: { readonly part: number }) => parts.at(block.part).category;
      for (const lane of all)
        addBlocks(lane, { file: source.file, called: notes.called, partOf }, [findings, shared.findings]);
      const audit = auditOf({ source, notes, lanes: all, parts: parts.all, meter, findings });
      return { audit, parts: parts.all };
    },
  };
}

const otherLanes = "(other lanes)";

function finders(file: string, to: readonly FindingSums[]): Pick<Settling, "onMiss" | "onCompacted"> {
  const example = (lane: Lane, call: Call): Pick<Example, "file" | "line" | "lane" | "call" | "tool" | "count"> => ({
    file,
    line: call.line,
    lane: lane.name,
    call: call.n,
    tool: null,
    count: 1,
  });
  return {
    onMiss: (lane, call, miss) => {
      const { tokens, usd } = miss;
      const found = { ...example(lane, call), what: `call ${call.n}`, tokens, paidTokens: tokens, usd };
      for (const sums of to) {
        addMiss(sums, miss, found);
        if (miss.cause === "expired") sums.tallies.coldTurns.add(found);
      }
    },
    onCompacted: (lane, call, { tokens, usd }) => {
      if (lane.compaction === null) return;
      const { line, by, tokens: before } = lane.compaction;
      const what = `${by} compaction before call ${call.n}`.trim();
      for (const sums of to)
        sums.tallies.compactions.add({ ...example(lane, call), line, what, tokens: before, paidTokens: tokens, usd });
    },
  };
}

function auditOf(input: {
  readonly source: Source;
  readonly notes: SessionNotes;
  readonly lanes: readonly Lane[];
  readonly parts: readonly PartEntry[];
  readonly meter: Meter;
  readonly findings: FindingSums;
}): SessionAudit {
  const { source, notes, lanes, parts, meter, findings } = input;
  const sums = meter.sums();
  const basis = basisOf(sums);
  const shown = lanes.toSorted(
    (a, b) => Number(b.name === mainLane) - Number(a.name === mainLane) || b.calls - a.calls,
  );
  const listed = shown.filter(({ calls, name }) => calls > 0 || name === mainLane).slice(0, lanesShownMax);
  const rows = parts.map((part) => ({ ...part, sums: part.own }));
  return {
    file: source.file,
    format: source.format,
    session: notes.session,
    cwd: notes.cwd,
    version: notes.version,
    models: [...new Set(lanes.flatMap(({ models }) => [...models]))],
    ...spanOf(lanes),
    items: notes.items,
    unreadable: notes.unreadable,
    unknown: notes.unknown,
    impossibleReports: notes.impossible,
    ...sums,
    lanes: listed.map(laneAuditOf),
    lanesLeftOut: lanes.filter(({ calls }) => calls > 0).length - listed.filter(({ calls }) => calls > 0).length,
    parts: partsOf(rows, sums, basis),
    servers: serversOf(rows, sums, basis),
    findings: findingsOf(findings),
    series: seriesOf(shown, parts),
  };
}

const lanesShownMax = 100;

function laneAuditOf(lane: Lane): LaneAudit {
  return {
    lane: lane.name,
    models: [...lane.models],
    firstAt: lane.firstAt,
    lastAt: lane.lastAt,
    unloggedHeadTokens: lane.headTokens,
    peakPromptTokens: lane.peakPromptTokens,
    compactions: lane.compactions,
    ...lane.meter.sums(),
  };
}

function seriesOf(lanes: readonly Lane[], parts: readonly PartEntry[]): Series | null {
  const lane = lanes.find(({ series, calls }) => series !== null && calls > 0);
  if (lane === undefined || lane.series === null) return null;
  const window = lane.model === null ? null : windowOf({ model: lane.model });
  const windowTokens = window === null || window.from === "assumed" ? null : window.windowTokens;
  return lane.series.series(lane.name, windowTokens, parts);
}
