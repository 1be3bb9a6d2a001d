import type { TranscriptFile } from "../adapters/transcript-files.ts";
import type { Place } from "./audit-places.ts";
import { sizeText } from "./audit-progress.ts";
import { shortPath } from "./audit-show.ts";

/** What was found of one program, or below a path that was named (`program` null). */
export type Looked = {
  readonly program: string | null;
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
};

export function lookedIn(places: readonly Place[], files: readonly TranscriptFile[]): readonly Looked[] {
  return places.map(({ program, root: { path } }) => {
    const found = files.filter(({ root }) => root === path);
    return { program, path, files: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
  });
}

/** A line per place that held something, and one that names the programs of which there is nothing. */
export function lookedText(looked: readonly Looked[], home: string): string {
  const held = looked.filter(({ files }) => files > 0);
  const programs = new Set(held.map(({ program }) => program));
  const none = [...new Set(looked.map(({ program }) => program))].filter((one) => one !== null && !programs.has(one));
  const lines = held.map(({ program, path, files, bytes }) => {
    const count = `${files.toLocaleString("en-US")} file${files === 1 ? "" : "s"}`;
    return `${program === null ? "" : `${program}: `}${count}, ${sizeText(bytes)}, in ${shortPath(path, home)}`;
  });
  return [...lines, ...(none.length === 0 ? [] : [`No sessions of: ${none.join(", ")}`])].join("\n");
}

export function nothingFound(places: readonly Place[], home: string): string {
  const byProgram = Map.groupBy(places, ({ program }) => program);
  const lines = [...byProgram].map(([program, of]) => {
    const [first, ...others] = of.map(({ root }) => shortPath(root.path, home));
    const more = others.length > 2 ? ` and ${others.length} more places` : others.map((one) => `, ${one}`).join("");
    return `  ${program}: ${first}${more}`;
  });
  return [
    "no sessions were found. Searched:",
    ...lines,
    "Name files or folders to read others: `varve audit PATH...` (see docs/audit.md)",
  ].join("\n");
}
