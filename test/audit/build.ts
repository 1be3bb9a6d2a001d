import { type Audit, openAudit } from "../../src/audit/audit.ts";
import type { AuditReport, SessionAudit } from "../../src/audit/report.ts";
import type { Item, ItemBody } from "../../src/import/transcript.ts";
import { noUsage, type Usage } from "../../src/kernel/usage.ts";

/** What a handmade transcript says; places are added in order. */
export type Said = ItemBody & { readonly lane?: string; readonly at?: number | null };

export const startAt = Date.UTC(2026, 10, 2);
export const model = "claude-opus-5-5";

/** Items one minute apart, one per line, of the main lane unless they say otherwise. */
export function items(said: readonly Said[], minuteMs = 60_000): readonly Item[] {
  return said.map((one, at): Item => ({ line: at + 1, lane: "main", at: startAt + at * minuteMs, ...one }));
}

export const typed = (text: string): Said => ({ type: "message", from: "typed", text, images: 0 });
export const injected = (text: string): Said => ({ type: "message", from: "injected", text, images: 0 });
export const summary = (text: string): Said => ({ type: "message", from: "summary", text, images: 0 });
export const request = (id: string, by: string | null = model): Said => ({ type: "request", request: id, model: by });
export const text = (id: string, said: string): Said => ({ type: "text", request: id, text: said });
export const call = (id: string, callId: string, tool: string, input: unknown): Said => ({
  type: "call",
  request: id,
  callId,
  tool,
  input: typeof input === "string" ? input : JSON.stringify(input),
});
export const result = (callId: string, output: string, more: { failed?: boolean; images?: number } = {}): Said => ({
  type: "result",
  callId,
  tool: null,
  text: output,
  failed: false,
  images: 0,
  ...more,
});
export const usage = (
  id: string,
  some: Partial<Usage>,
  more: { key?: string; known?: "all" | "output" } = {},
): Said => ({
  type: "usage",
  request: id,
  usage: { ...noUsage, ...some },
  known: "all",
  key: `key-${id}`,
  ...more,
});
export const restarted = (
  why: "compacted" | "rewound" | "cleared",
  keeps: readonly (readonly [number, number])[] = [],
): Said => ({ type: "restarted", why, by: "auto", keeps });

/** A text of about so many tokens that no other has. */
export function words(tokens: number, seed: string): string {
  return Array.from({ length: tokens }, (_, at) => `${seed}${at % 97}`)
    .join(" ")
    .slice(0, tokens * 4);
}

export function auditOf(...files: readonly (readonly Said[])[]): AuditReport {
  const audit = openAudit();
  for (const [at, said] of files.entries()) feed(audit, `file-${at}.jsonl`, items(said));
  return audit.report();
}

export function feed(audit: Audit, file: string, stream: readonly Item[]): void {
  const session = audit.session({ file, format: "claude-code" });
  for (const item of stream) session.push(item);
  session.end();
}

export function sessionOf(said: readonly Said[]): SessionAudit {
  const [session] = auditOf(said).sessions;
  if (session === undefined) throw new Error("no session was audited");
  return session;
}
