/** What this service says beside model answers: a refusal, or a value as JSON. */
export type Said =
  | { readonly type: "refused"; readonly status: number; readonly message: string }
  | { readonly type: "said"; readonly value: unknown };

export function refused(status: number, message: string): Said {
  return { type: "refused", status, message };
}

export function said(value: unknown): Said {
  return { type: "said", value };
}
