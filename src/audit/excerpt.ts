const charsMaxDefault = 100;

/** Stands where an excerpt was cut. */
export const cutMark = "…";

/**
 * The beginning of a text from a log, on one line, without control characters. Made of single characters, so that it
 * does not keep the whole text alive.
 */
export function excerptOf(text: string, charsMax: number = charsMaxDefault): string {
  const start = text.slice(0, charsMax * 2);
  // Most are plain, and for those the signs need not be looked up by class.
  const isPlain = !/[^ -~]/.test(start);
  const line = start.replace(isPlain ? / {2,}/g : /[\p{C}\s]+/gu, " ").trim();
  const points = isPlain ? line.split("") : Array.from(line);
  return points.length > charsMax || text.length > charsMax * 2
    ? `${points.slice(0, charsMax - 1).join("")}${cutMark}`
    : points.join("");
}
