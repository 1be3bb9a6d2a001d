import type { BrainRequest } from "./brain.ts";

/** What a client says when it has its conversation summed up; its newest words begin with the tag. */
export type SummaryAsk = {
  readonly instruction: string;
  /** As they stand in the instruction, numbers and all. */
  readonly headings: readonly string[];
  readonly tokensMax: number;
};

/** Where the instruction names no limit, or no headings. */
const tokensUsual = 2_000;
const headingsUsual = "Goal,Rules,Decisions,Files,Commands,Errors,Open,At hand,Next step"
  .split(",")
  .map((name, at) => `${at + 1}. ${name}`);

/** The instruction of a request for a summary; null for any other request. */
export function summaryAskOf(request: Pick<BrainRequest, "messages">): SummaryAsk | null {
  const instruction = newestWords(request).trimStart();
  if (!instruction.startsWith("<summary-request")) return null;
  const limit = /(\d[\d,_]*)\s+tokens/i.exec(instruction)?.[1]?.replace(/\D/g, "");
  const headings = headingsIn(instruction.split(/\n<(?:former-summary|rounds)>/)[0] ?? "");
  return {
    instruction,
    headings: headings.length === 0 ? headingsUsual : headings,
    tokensMax: Number(limit ?? tokensUsual),
  };
}

function newestWords({ messages }: Pick<BrainRequest, "messages">): string {
  const texts = messages.flatMap(({ role, parts }) =>
    role === "user" ? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  return texts.at(-1) ?? "";
}

/** Lines `1. ...` and on; what explains a heading behind a colon or a dash is no part of it. */
function headingsIn(instruction: string): readonly string[] {
  const headings: string[] = [];
  for (const line of instruction.split("\n")) {
    const [, number, text] = /^\s*(?:#+\s*)?(\d+)\.\s+(.*\S)\s*$/.exec(line) ?? [];
    if (text === undefined || Number(number) !== headings.length + 1) continue;
    headings.push(`${number}. ${text.split(/: | [—–-] /)[0]?.replace(/:$/, "") ?? ""}`);
  }
  return headings;
}
