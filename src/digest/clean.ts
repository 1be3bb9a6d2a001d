/**
 * What a terminal would show at the end, line by line: without colours and other escape sequences, and of a line that
 * was drawn over (progress bars) the last drawing. The number of lines stays, so line numbers are those of the original.
 */
export function cleaned(text: string): string {
  if (!hasControls.test(text)) return text;
  return text.replace(escapes, "").replace(drawnOver, "").replace(controls, "");
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
const hasControls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/** CSI (colours, cursor), OSC (titles, links; ended by BEL or ST, never over a line), and the two-character ones. */
const escapes = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]/g;

/** Up to the last carriage return that still has something behind it on its line. Carriage returns before a line end go with the controls. */
const drawnOver = /^[^\n]*\r(?=[^\r\n])/gm;

const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
