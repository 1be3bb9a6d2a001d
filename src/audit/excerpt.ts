const charsMaxDefault = 100;

/**
 * The beginning of a text from a log, on one line, without control characters. Made of single characters, so that it
 * does not keep the whole text alive.
 */
export function excerptOf(text: string, charsMax: number = charsMaxDefault): string {
  const line = text
    .slice(0, charsMax * 2)
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  const points = Array.from(line);
  return points.length > charsMax || text.length > charsMax * 2
    ? `${points.slice(0, charsMax - 1).join("")}…`
    : points.join("");
}
