import { columnsOf } from "../ledger/columns.ts";
import { oneLine } from "./audit-show.ts";

/** How far the reading is, for one who waits. `end` leaves no trace. */
export type Progress = {
  file(path: string): void;
  read(bytes: number): void;
  end(): void;
};

export const noProgress: Progress = { file: () => undefined, read: () => undefined, end: () => undefined };

/** One line that is drawn over itself, at most ten times a second. */
export function progressBar(given: {
  readonly stream: { readonly columns?: number; write(text: string): boolean };
  readonly bytesAll: number;
  readonly now: () => number;
  readonly color: boolean;
}): Progress {
  const { stream, bytesAll, now, color } = given;
  const startedMs = now();
  let [path, bytesDone, drawnMs] = ["", 0, 0];

  const draw = (): void => {
    const at = now();
    if (at - drawnMs < redrawMsMin) return;
    drawnMs = at;
    const text = progressText({ path, bytesDone, bytesAll, ms: at - startedMs, columns: stream.columns || 80 });
    stream.write(`\r\x1b[2K${color ? text.replace(/█+/, "\x1b[36m$&\x1b[39m") : text}`);
  };
  return {
    file(next) {
      path = next;
      draw();
    },
    read(bytes) {
      bytesDone += bytes;
      draw();
    },
    end() {
      if (drawnMs > 0) stream.write("\r\x1b[2K");
      drawnMs = Number.POSITIVE_INFINITY;
    },
  };
}

export type ProgressState = {
  readonly path: string;
  readonly bytesDone: number;
  readonly bytesAll: number;
  readonly ms: number;
  readonly columns: number;
};

/** Never wider than the terminal: a line that wraps cannot be drawn over. */
export function progressText({ path, bytesDone, bytesAll, ms, columns }: ProgressState): string {
  const share = bytesAll === 0 ? 1 : Math.min(1, bytesDone / bytesAll);
  const rate = ms < rateMsMin ? 0 : (bytesDone / ms) * 1_000;
  const left = rate === 0 ? "" : `, ${timeText(Math.max(0, bytesAll - bytesDone) / rate)} left`;
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const filled = Math.round(share * barColumns);
  const bar = "█".repeat(filled) + "░".repeat(barColumns - filled);
  const figures = `${sizeText(bytesDone)} of ${sizeText(bytesAll)}${rate === 0 ? "" : `, ${sizeText(rate)}/s`}${left}`;
  const room = columns - 1;
  const parts = [`${percent} ${bar} ${figures}`, `${percent} ${figures}`, percent];
  const text = parts.find((part) => part.length <= room) ?? "";
  return text + endOfPath(path, room - text.length - 2);
}

const redrawMsMin = 100;
const rateMsMin = 500;
const barColumns = 20;

/** Its end tells files apart; the beginning is mostly the same. */
function endOfPath(path: string, room: number): string {
  const shown = oneLine(path);
  if (columnsOf(shown) <= room) return shown === "" ? "" : `  ${shown}`;
  let end = "";
  for (const char of [...shown].reverse()) {
    if (columnsOf(char + end) > room - 1) break;
    end = char + end;
  }
  return room < pathColumnsMin ? "" : `  …${end}`;
}

const pathColumnsMin = 12;

function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return seconds < 3_600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

export function sizeText(bytes: number): string {
  const unit = units.find(({ from }) => bytes >= from) ?? { from: 1, name: "B" };
  const amount = bytes / unit.from;
  return `${amount.toFixed(unit.from > 1 && amount < 10 ? 1 : 0)} ${unit.name}`;
}

const units = [
  { from: 1e9, name: "GB" },
  { from: 1e6, name: "MB" },
  { from: 1e3, name: "kB" },
] as const;
