import { count, first, firsts, kinds, last, lasts, list, type Question, where, whether } from "./question.ts";

const heading = /^#{1,6} (.+)$/;
const item = /^\s*(?:[-*+]|\d+[.)]) (.+)$/;
const address = /(https?:\/\/[^\s"'<>)\]\\]+)/;

/** Reports, pages turned into text, answers of searches on the web. */
export const prose: readonly Question[] = [
  ...firsts("a heading", heading, 4),
  ...lasts("a heading", heading, 2),
  count("how many headings", heading),
  list("all headings", heading),
  ...firsts("an item", item, 3),
  last("the last item", item),
  count("how many items", item),
  first("the query", /query: "(.+)"$/),
  ...firsts("an address", address, 2),
  last("the last address", address),
  kinds("how many lines have addresses", address),
  first("the title of the first link", /\[?\{"title":"([^"]+)"/),
  first("the first path", /`((?:[\w@.-]+\/)+[\w@.-]+\.\w+)/),
  last("the last path", /`((?:[\w@.-]+\/)+[\w@.-]+\.\w+)/),
  first("the first word in bold", /\*\*([^*]+)\*\*/),
  count("how many words in bold", /\*\*[^*]+\*\*/),
  count("how many blocks of code begin or end", /^\s*```/),
  first("the first block's language", /^\s*```(\w+)/),
  count("how many rows of tables", /^\s*\|.*\|\s*$/),
  where("the line of the first heading", heading),
  first("the status", /^\W*Status:?\W+(.+)$/i),
  whether("whether it warns", /\b(?:warning|caution|important)\b/i),
];
