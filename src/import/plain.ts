/** Text from a file is data: nothing of it may act on the terminal that shows it. */
export function plain(text: string, charsMax: number): string {
  const shown = text.slice(0, charsMax * 4).replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, " ");
  return shown.trim().slice(0, charsMax);
}
