const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Statuses of others that this service does not send, as it says the same: full, and unpaid. */
const elsewhere: Readonly<Record<number, { readonly status: number; readonly name: string }>> = {
  402: { status: 400, name: "FAILED_PRECONDITION" },
  529: { status: 503, name: "UNAVAILABLE" },
};

export function geminiStatus(status: number): number {
  return elsewhere[status]?.status ?? status;
}

/** The service's shape of an error; a time to wait stands in its details, not in a header (PROTOCOLS A.10, C). */
export function geminiError(of: {
  readonly status: number;
  readonly message: string;
  readonly retrySeconds?: number | null;
}): unknown {
  const { retrySeconds = null } = of;
  const other = elsewhere[of.status];
  const wait = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retrySeconds}s` };
  return {
    error: {
      code: geminiStatus(of.status),
      message: of.message,
      status: other?.name ?? statuses[of.status] ?? "UNKNOWN",
      ...(retrySeconds === null ? {} : { details: [wait] }),
    },
  };
}
