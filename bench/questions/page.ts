import { count, first, firsts, kinds, last, lasts, type Question, where, whether } from "./question.ts";

const link = /<a\b[^>]*\bhref="([^"]+)"/;
const heading = /<h[1-6][^>]*>([^<]+)/;

/** HTML as a command or a fetch brings it. */
export const page: readonly Question[] = [
  first("the title", /<title[^>]*>([^<]+)/),
  ...firsts("a heading", heading, 4),
  last("the last heading", heading),
  count("how many headings", heading),
  ...firsts("a link", link, 4),
  ...lasts("a link", link, 2),
  count("how many lines have links", link),
  kinds("how many different links", link),
  first("the first button", /<button\b[^>]*>([^<]+)/),
  count("how many lines have inputs", /<(?:input|textarea|select)\b/),
  first("the name of the first input", /<input\b[^>]*\bname="([^"]+)"/),
  first("where the form goes", /<form\b[^>]*\baction="([^"]+)"/),
  first("the first picture", /<img\b[^>]*\bsrc="([^"]+)"/),
  count("how many lines have pictures", /<img\b/),
  first("the first script", /<script\b[^>]*\bsrc="([^"]+)"/),
  first("the language", /<html\b[^>]*\blang="([^"]+)"/),
  first("the description", /<meta name="description" content="([^"]+)"/),
  count("how many rows of tables", /<tr\b/),
  count("how many list items", /<li\b/),
  where("where the body begins", /<body\b/),
  whether("whether there is a form", /<form\b/),
];
