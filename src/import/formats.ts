import { claudeCode } from "./claude-code.ts";
import type { DocumentFormat, LineFormat } from "./transcript.ts";

/** Formats whose files are records, one per line. The first that recognises a file reads it. */
export const lineFormats: readonly LineFormat[] = [claudeCode];

/** Formats whose files are one JSON value. */
export const documentFormats: readonly DocumentFormat[] = [];
