import type { Span } from "./known.ts";

/**
 * Tokens that are known by their shape. `begins`: what is looked for first; `shape` is then tried right there, sticky and
 * bounded, so that the search stays linear. Where the shape has a group, only that is masked. `source`: who says so.
 */
type Row = {
  readonly name: string;
  readonly begins: readonly string[];
  readonly shape: RegExp;
  readonly source: string;
  /** What may not stand right before it. Default: a letter or digit. `-` and `_` too where a trial may be long. */
  readonly before?: "anything" | "no word and no - or _";
};

const rows: readonly Row[] = [
  {
    name: "aws key id",
    begins: ["AKIA", "ASIA"],
    // The documentation's own key ends in EXAMPLE.
    shape: /A[KS]IA(?![A-Z0-9]{9}EXAMPLE)[A-Z2-7]{16}(?![A-Z0-9])/dy,
    source: "docs.aws.amazon.com, IAM identifiers, unique ID prefixes",
  },
  {
    name: "github token",
    begins: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    shape: /gh[pousr]_[A-Za-z0-9]{36,255}/dy,
    source: "github.blog, behind GitHub's new authentication token formats (2021)",
  },
  {
    name: "github token",
    begins: ["github_pat_"],
    shape: /github_pat_[A-Za-z0-9_]{50,255}/dy,
    source: "docs.github.com, about authentication, token formats",
  },
  {
    name: "gitlab token",
    begins: ["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"],
    shape: /gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_.-]{20,300}/dy,
    source: "docs.gitlab.com, token overview, token prefixes",
  },
  {
    name: "slack token",
    begins: ["xoxa-", "xoxb-", "xoxe", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xapp-"],
    shape: /x(?:ox[a-eoprs]|app)(?:\.xox[bp])?-(?=[A-Za-z0-9-]{0,300}\d)[A-Za-z0-9%-]{16,300}/dy,
    source: "docs.slack.dev, tokens",
  },
  {
    name: "slack webhook",
    begins: ["hooks.slack.com/services/"],
    shape: /hooks\.slack\.com\/services\/(T[A-Za-z0-9_]{6,12}\/B[A-Za-z0-9_]{6,12}\/[A-Za-z0-9_]{16,32})/dy,
    source: "docs.slack.dev, incoming webhooks",
  },
  {
    name: "google api key",
    begins: ["AIza"],
    shape: /AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/dy,
    source: "cloud.google.com, API keys (the prefix in gitleaks, gcp-api-key)",
  },
  {
    name: "anthropic key",
    begins: ["sk-ant-"],
    shape: /sk-ant-[A-Za-z0-9_-]{20,300}/dy,
    source: "docs.anthropic.com, API overview (gitleaks, anthropic-api-key)",
  },
  {
    name: "openai key",
    begins: ["sk-"],
    shape:
      /sk-(?:(?:proj|svcacct|admin|or-v1|None)-[A-Za-z0-9_-]{20,300}|(?=[A-Za-z]{0,47}\d)[A-Za-z0-9]{32,64}(?![A-Za-z0-9]))/dy,
    source: "platform.openai.com, API keys (gitleaks, openai-api-key); openrouter.ai uses sk-or-v1-",
  },
  {
    name: "stripe key",
    begins: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
    shape: /(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/]{32,100})/dy,
    source: "docs.stripe.com, API keys and webhook signatures",
  },
  {
    name: "npm token",
    begins: ["npm_"],
    shape: /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/dy,
    source: "github.blog, npm access token format (2021)",
  },
  {
    name: "pypi token",
    begins: ["pypi-AgE"],
    shape: /pypi-AgE[A-Za-z0-9_-]{50,300}/dy,
    source: "pypi.org/help, API tokens",
  },
  {
    name: "hugging face token",
    begins: ["hf_"],
    shape: /hf_[A-Za-z0-9]{34,60}(?![A-Za-z0-9])/dy,
    source: "huggingface.co, user access tokens",
  },
  {
    name: "sendgrid key",
    begins: ["SG."],
    shape: /SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/dy,
    source: "docs.sendgrid.com, API keys",
  },
  {
    name: "json web token",
    begins: ["eyJ"],
    shape: /eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{20,2000}/dy,
    source: "RFC 7519; both parts are JSON objects, which in base64url begin with eyJ",
    before: "no word and no - or _",
  },
  {
    name: "password in an address",
    begins: ["://"],
    // Not placeholders, and not the same word twice (postgres:postgres), which is nobody's secret.
    shape:
      /:\/\/([^\s:@/?#'"`<>{}$]{0,200}):((?!\1@)[^\s@/?#'"`<>{}$*%]{1}[^\s@/?#'"`<>{}$]{2,200})@(?=[A-Za-z0-9[])/dy,
    source: "RFC 3986, 3.2.1: user:password is deprecated for being shown in clear",
    before: "anything",
  },
  {
    name: "authorization",
    begins: ["uthorization", "UTHORIZATION", "-api-key", "-API-KEY", "-Api-Key"],
    shape:
      /(?:uthorization|-api-key)["']{0,2}\s{0,4}[:=]\s{0,4}["']{0,2}(?:(?:bearer|basic|token)\s{1,4})?(?=[A-Za-z0-9._~+/-]{0,64}\d)([A-Za-z0-9._~+/-]{16,4096}={0,2})/diy,
    source: "RFC 6750, 2.1 and RFC 7617, 2",
    before: "anything",
  },
];

export const shapeNames: readonly string[] = [...new Set(rows.map(({ name }) => name)), "private key"];

/** Every beginning at once: one pass of the text, however many rows there are. */
const beginnings = new RegExp(
  [...new Set(rows.flatMap(({ begins }) => begins))].map((text) => text.replaceAll(/[.]/g, "\\$&")).join("|"),
  "g",
);
const rowsByBeginning: ReadonlyMap<string, readonly Row[]> = new Map(
  rows.flatMap(({ begins }) => begins).map((text) => [text, rows.filter(({ begins }) => begins.includes(text))]),
);

/** All tokens in a text. Linear: each beginning is looked for once, each trial is bounded. */
export function findShapes(text: string): readonly Span[] {
  const spans: Span[] = [];
  const search = new RegExp(beginnings);
  for (let begin = search.exec(text); begin !== null; begin = search.exec(text)) {
    const span = tokenAt(text, begin.index, rowsByBeginning.get(begin[0]) ?? []);
    if (span !== null) spans.push(span);
    // Not behind the token: in an address or a header another one may stand.
    search.lastIndex = begin.index + begin[0].length;
  }
  return [...spans, ...privateKeys(text)];
}

function tokenAt(text: string, at: number, candidates: readonly Row[]): Span | null {
  for (const { name, shape, before } of candidates) {
    shape.lastIndex = at;
    const match = isFree(text, at, before) ? shape.exec(text) : null;
    // The secret is the last group, or all of it.
    const [from, to] = match?.indices?.at(-1) ?? [at, at];
    if (to > from) return { from, to, name };
  }
  return null;
}

/** The letter of an escaped line end in JSON is none. */
function isFree(text: string, at: number, before: Row["before"]): boolean {
  if (before === "anything" || /\\[nrt]/.test(text.slice(Math.max(0, at - 2), at))) return true;
  return !(before === undefined ? /[A-Za-z0-9]/ : /[\w-]/).test(text.charAt(at - 1));
}

const keyHeader = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const keyLines = /[A-Za-z0-9+/=\\\s:,-]{0,16384}/y;
const keyEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

/** The largest key that anybody uses is shorter. */
export const keyCharsMax = 16_384;

/** From the first line of a private key to its last; of one that is cut off, all that looks like its lines. */
function privateKeys(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (let at = text.indexOf("-----BEGIN "); at >= 0; ) {
    keyHeader.lastIndex = at;
    let to = at;
    if (keyHeader.test(text)) {
      const begin = keyHeader.lastIndex;
      if (end >= 0 && end < begin) end = text.indexOf("-----END ", begin);
      to = end >= 0 && end - at <= keyCharsMax ? endOf(text, end) : cutKeyEnd(text, begin);
      spans.push({ from: at, to, name: "private key" });
    }
    at = text.indexOf("-----BEGIN ", Math.max(to, at + 1));
  }
  return spans;
}

function endOf(text: string, at: number): number {
  keyEnd.lastIndex = at;
  return keyEnd.test(text) ? keyEnd.lastIndex : at;
}

function cutKeyEnd(text: string, begin: number): number {
  keyLines.lastIndex = begin;
  return keyLines.test(text) ? keyLines.lastIndex : begin;
}

/** Where a token may have begun that the text's end cuts off; the text's length when there is none. */
export function cutShapeAt(text: string): number {
  let run = text.length;
  const least = Math.max(0, text.length - runCharsMax);
  while (run > least && !/\s/.test(text.charAt(run - 1))) run -= 1;
  const header = cutHeader.exec(text.slice(Math.max(0, run - 100), run));
  // Behind a header anything may be a token; elsewhere only what has the beginning of one, so that dots come at once.
  const elsewhere = mayBegin(text.slice(run)) ? run : text.length;
  return Math.min(header === null ? elsewhere : run - header[0].length, cutKeyAt(text));
}

function mayBegin(run: string): boolean {
  if (new RegExp(beginnings).test(run)) return true;
  return beginningCuts.some((cut) => run.endsWith(cut));
}

/** What is left of a beginning that the end of a text cuts off. */
const beginningCuts: readonly string[] = [
  ...new Set(
    [...rowsByBeginning.keys(), "-----BEGIN "].flatMap((text) =>
      Array.from({ length: text.length - 1 }, (_, at) => text.slice(0, at + 1)),
    ),
  ),
];

const runCharsMax = 4_096;
const cutHeader = /(?:authorization|-api-key)["']{0,2}\s{0,4}[:=]\s{0,4}["']{0,2}(?:(?:bearer|basic|token)\s{1,4})?$/i;

function cutKeyAt(text: string): number {
  const at = text.lastIndexOf("-----BEGIN ");
  if (at < 0 || text.length - at > keyCharsMax) return text.length;
  const line = text.slice(at, at + 80);
  const isWhole = /^-----BEGIN [A-Z0-9 ]{0,60}-----/.test(line);
  if (isWhole ? !/^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(line) : line.includes("\n")) return text.length;
  return /-----END [A-Z0-9 ]{0,60}-----/.test(text.slice(at)) ? text.length : at;
}
