import { errorLine } from "./failing.ts";
import {
  commonest,
  count,
  first,
  firsts,
  kinds,
  largest,
  last,
  lasts,
  type Question,
  where,
  whether,
} from "./question.ts";

const path = /((?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]+)/;

/** Output of commands that no other type claims. */
export const command: readonly Question[] = [
  first("the exit code, as the output says", /^(?:Exit code|Process exited with code) (\d+)$/),
  first("how long it ran", /^Wall time: ([\d.]+)/),
  first("the task", /^(?:Process running with session ID|Command running in background with ID:?) (\w+)/),
  ...firsts("a path", path, 4),
  ...lasts("a path", path, 2),
  kinds("how many paths", path),
  ...firsts("a setting", /^\s*([\w.-]+ ?[:=] ?\S.*)$/, 3),
  count("how many settings", /^\s*[\w.-]+ ?[:=] ?\S/),
  first("the first option", /^\s+(-{1,2}[a-z][\w-]*)/),
  count("how many options", /^\s+-{1,2}[a-z][\w-]*/),
  first("the usage", /^\s*[Uu]sage:? ?(.*)$/),
  first("the version", /\bv?(\d+\.\d+\.\d+(?:-[\w.]+)?)\b/),
  kinds("how many versions", /\bv?(\d+\.\d+\.\d+(?:-[\w.]+)?)\b/),
  largest("the largest number", /\b(\d{1,12})\b/),
  first("the first error", errorLine),
  where("the line of the first error", errorLine),
  commonest("the commonest first word", /^\s*(\w+)/),
  first("the first heading", /^(?:#+ |=+ |-- )(.+?)(?: =+)?$/),
  count("how many headings", /^(?:#+ |=+ |-- )\S/),
  whether("whether something is deprecated", /\bdeprecated\b/i),
  last("the last sentence", /^(.*\w.*\.)$/),
];
