/**
 * A tokenizer that is nobody's and not ours: words in pieces of six letters, digits in twos, signs one by one. With
 * another rate and hidden tokens, so that an estimate that agrees with it has learned to.
 */
export type Foreign = {
  readonly name: string;
  readonly rate: number;
  readonly cjkRate: number;
  readonly overheadTokens: number;
  readonly blockTokens: number;
};

export function countForeign(text: string, foreign: Foreign): number {
  let tokens = 0;
  for (const [run] of text.matchAll(/[A-Za-z]+|\d+|[ \t]+|\n+|[^\sA-Za-z0-9]/g)) {
    if (/^[A-Za-z]/.test(run)) tokens += Math.ceil(run.length / 6);
    else if (/^\d/.test(run)) tokens += Math.ceil(run.length / 2);
    else if (/^[ \t]/.test(run)) tokens += run.length === 1 ? 0 : Math.ceil(run.length / 12);
    else if (/^\n/.test(run)) tokens += 1;
    else tokens += run.charCodeAt(0) < 0x2e80 ? 0.8 : foreign.cjkRate / foreign.rate;
  }
  return Math.round(tokens * foreign.rate) + foreign.blockTokens;
}

/** Texts of the kinds a session holds, of very different lengths, the same for the same seed. */
export function foreignTexts(seed: number): () => string {
  let state = seed * 2_654_435_761;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  };
  const pick = (items: readonly string[]): string => items[random(items.length)] ?? "";
  const repeat = (make: () => string): string => Array.from({ length: 2 + random(8) * random(8) }, make).join("\n");
  const kinds: readonly (() => string)[] = [
    () =>
      repeat(
        () => `${"  ".repeat(random(4))}${pick(code)} ${pick(names)}(${pick(names)}.${pick(names)}, ${random(1_000)});`,
      ),
    () => repeat(() => `  {"${pick(names)}": "${pick(words)}", "${pick(names)}": ${random(100_000)}, "ok": true},`),
    () => repeat(() => Array.from({ length: 8 }, () => pick(words)).join(" ")),
    () =>
      repeat(
        () =>
          `2026-11-29T12:${10 + random(49)}:07.${random(999)}Z INFO [${pick(names)}] ${pick(words)} ${pick(words)} took ${random(900)} ms`,
      ),
    () => repeat(() => `src/${pick(names)}/${pick(names)}.ts:${random(900)}: error: ${pick(words)} ${pick(words)}`),
    () => repeat(() => pick(chinese)),
  ];
  return () => (kinds[random(kinds.length)] ?? (() => ""))();
}

const code = ["const value =", "return await", "export function", "if (!found) throw", "for (const item of"];
const names = [
  "segments",
  "readFile",
  "orderTotal",
  "user_id",
  "cartItems",
  "x",
  "parsePrice",
  "onSubmit",
  "HTTPClient",
];
const words = [
  "the",
  "build",
  "failed",
  "because",
  "login",
  "page",
  "validation",
  "of",
  "customers",
  "is",
  "missing",
  "again",
];
const chinese = ["构建失败，因为磁盘已满。", "请稍后再试，谢谢。", "登录页面缺少验证。"];
