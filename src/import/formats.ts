import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { geminiDocument, geminiLines } from "./gemini.ts";
import { opencodeDocument, opencodeLines } from "./opencode.ts";
import { openhandsDocument, openhandsLines } from "./openhands.ts";
import { pi } from "./pi.ts";
import { sweAgent } from "./swe-agent.ts";
import type { DocumentFormat, LineFormat } from "./transcript.ts";
import { varve } from "./varve.ts";

/** Formats whose files are records, one per line. The first that recognises a file reads it. */
export const lineFormats: readonly LineFormat[] = [
  claudeCode,
  codex,
  pi,
  copilot,
  varve,
  geminiLines,
  openhandsLines,
  opencodeLines,
];

/** Formats whose files are one JSON value. */
export const documentFormats: readonly DocumentFormat[] = [
  geminiDocument,
  openhandsDocument,
  sweAgent,
  cline,
  opencodeDocument,
];
