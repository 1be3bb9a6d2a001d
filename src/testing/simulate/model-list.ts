import type { Wire } from "../../kernel/usage.ts";
import type { SimModel } from "./models.ts";

/** `GET /v1/models` in the shape of the wire that asks (PROTOCOLS A.1). */
export function modelList(wire: Wire, models: readonly SimModel[]): string {
  const rows = models.filter((model) => model.wire === wire);
  if (wire === "chat") {
    return JSON.stringify({
      object: "list",
      data: rows.map(({ id }) => ({ id, object: "model", created: 1_700_000_000, owned_by: "simulator" })),
    });
  }
  const data = rows.map((model) => ({
    type: "model",
    id: model.id,
    display_name: model.id,
    created_at: "2026-01-01T00:00:00Z",
    lifecycle: "active",
    max_input_tokens: model.windowTokens,
    max_tokens: model.outputTokensMax,
    capabilities: null,
  }));
  return JSON.stringify({ data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
}
