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

const time = /^\[?(\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+Z?|\w{3} +\d+ [\d:]+|[\d:.]{8,})\]?/;
const level = /\b(TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b/i;
const bad = /^.*\b(?:ERROR|FATAL|CRITICAL|error=|level=error)\b.*$/;
const warned = /^.*\b(?:WARN|WARNING|level=warn)\b.*$/;

/** Lines with a time, as services write them. */
export const log: readonly Question[] = [
  first("the first time", time),
  last("the last time", time),
  count("how many lines have a time", time),
  ...firsts("an error", bad, 3),
  ...lasts("an error", bad, 2),
  count("how many errors", bad),
  where("the line of the first error", bad),
  ...firsts("a warning", warned, 2),
  last("the last warning", warned),
  count("how many warnings", warned),
  commonest("the commonest level", level),
  kinds("how many levels", level),
  commonest("the commonest status", /\bstatus[=: ](\d{3})\b/),
  largest("the longest in ms", /\bms=(\d+)|\b(\d+(?:\.\d+)?) ?ms\b/),
  first("the first request", /\bpath=(\S+)|"(?:GET|POST|PUT|DELETE) (\S+)/),
  kinds("how many paths", /\bpath=(\S+)|"(?:GET|POST|PUT|DELETE) (\S+)/),
  kinds("how many orders", /\border=(\S+)/),
  first("the first line that is no success", /^.*\bstatus[=: ][45]\d\d\b.*$/),
  count("how many are no success", /\bstatus[=: ][45]\d\d\b/),
  commonest("the commonest event", /^\S+ \w+ +([\w.]+)/),
  kinds("how many events", /^\S+ \w+ +([\w.]+)/),
  whether("whether something is fatal", /\bFATAL\b|\bpanic\b/),
];
