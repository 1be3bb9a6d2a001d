import type { Wire } from "../../kernel/usage.ts";
import { type Core, idHeader } from "./core.ts";
import { errorBody } from "./error-body.ts";
import type { Outcome } from "./outcome.ts";
import type { SimRecord } from "./records.ts";
import { whole } from "./respond.ts";

export type Refusal = {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** An answer that is an error; the record says so. */
export function refuse(core: Core, record: SimRecord, { status, body, headers }: Refusal): Outcome {
  core.records.finish({ ...record, status });
  return whole(record.n, status, body, headers);
}

/** An error in the wire's own shape. */
export function errorFor(wire: Wire, error: Parameters<typeof errorBody>[1], requestId: string): Refusal {
  return { status: error.status, body: errorBody(wire, error, requestId), headers: idHeader(wire, requestId) };
}
