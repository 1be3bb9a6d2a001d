import type { Wire } from "../../kernel/usage.ts";
import type { SimModel } from "./models.ts";

/** `GET /v1/models` in the shape of the wire that asks (PROTOCOLS A.1). */
export function modelList(wire: Wire, models: readonly SimModel[]): string {
  if (wire === "chat") {
    // One list for both wires of this service; a model that is on both is named once.
    const ids = models.flatMap((model) => (model.wire === "chat" || model.wire === "responses" ? [model.id] : []));
    return JSON.stringify({
      object: "list",
      data: [...new Set(ids)].map((id) => ({ id, object: "model", created: 1_700_000_000, owned_by: "simulator" })),
    });
  }
  const rows = models.filter((model) => model.wire === wire);
  const data = rows.map((model) => ({
    type: "model",
    id: model.id,
    display_name: model.id,
    created_at: "2026-01-01T00:00:00Z",
    lifecycle: "active",
    max_input_tokens: model.windowTokens,
    max_tokens: model.outputTokensMax,
    deprecated_at: null,
    retires_at: null,
    line: null,
    capabilities: capabilitiesOf(model),
  }));
  return JSON.stringify({ data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
}

/** The tree of the official SDK's types, as far as this service has what it names. */
function capabilitiesOf(model: SimModel): unknown {
  const support = (supported: boolean) => ({ supported });
  const all = (supported: boolean, names: readonly string[], has: (name: string) => boolean) => ({
    supported,
    ...Object.fromEntries(names.map((name) => [name, support(has(name))])),
  });
  const none = () => false;
  return {
    batch: support(false),
    citations: support(false),
    code_execution: support(false),
    context_management: all(true, contextStrategies, () => true),
    effort: all(true, efforts, () => true),
    image_input: support(true),
    pdf_input: support(false),
    server_tools: all(false, ["code_execution", "web_search"], none),
    structured_outputs: support(true),
    thinking: {
      supported: model.thinking !== "none",
      types: Object.fromEntries(thinkingKinds.map((kind) => [kind, support(model.thinkingKinds.includes(kind))])),
    },
  };
}

const efforts = ["low", "medium", "high", "xhigh", "max"];
const thinkingKinds = ["adaptive", "between_tools", "disabled", "enabled"];
const contextStrategies = ["clear_thinking_20251015", "clear_tool_uses_20250919", "compact_20260112"];
