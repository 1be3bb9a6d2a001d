import { charsOf, cutBefore } from "../digest/text.ts";

/** A line as a search shows it: whole when it is short, else what stands around the match, and where (CASES C-065). */
export function windowAround(line: string, from: number, to: number): string {
  if (line.length <= lineMax) return line;
  const start = cutBefore(line, Math.max(0, from - around));
  const end = cutBefore(line, Math.min(line.length, Math.min(to, from + lineMax) + around));
  const first = charsOf(line.slice(0, start)) + 1;
  const part = line.slice(start, end);
  return `${part} [characters ${first}-${first + charsOf(part) - 1} of ${charsOf(line)}]`;
}

const lineMax = 400;
const around = 120;
