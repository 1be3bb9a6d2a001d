import type { ModelChoice } from "../../log/entry.ts";
import type { WireRequest } from "../../ports/model.ts";
import { quoted } from "../../prompt/apply.ts";
import type { Doc } from "../../prompt/doc.ts";
import type { Mark } from "../codec.ts";
import { type Rendered, renderedOf } from "./block.ts";
import { capabilitiesOf } from "./capabilities.ts";

/** What the service does with a reasoning block whose prefix changed: tests want the error, users the drop (A.3). */
export type OnMismatch = "error" | "drop_block";

/** The request body as text: stored pieces put together, keys in a fixed order (law 7). */
export function encodeAnthropic(doc: Doc, marks: readonly Mark[], onMismatch: OnMismatch): WireRequest {
  const { model } = doc;
  const ttls = new Map(marks.map((mark) => [mark.segment, mark.ttl]));
  const blocks = renderedOf(doc).map((block, index) => ({ ...block, json: marked(block.json, ttls.get(index)) }));
  const members = [
    `"model":${quoted(model.model)}`,
    `"max_tokens":${model.outputTokensMax}`,
    `"stream":true`,
    ...settings(model, onMismatch),
    ...diagnostics(doc),
    ...contextManagement(doc),
    ...(doc.asksSummary === true ? [`"compaction":{"type":"summarize"}`] : []),
    ...list("tools", blocks, ["tool", "revealed"]),
    ...list("system", blocks, ["system"]),
    `"messages":[${messages(blocks).join(",")}]`,
  ];
  return { wire: "anthropic", body: `{${members.join(",")}}`, headers: headersOf(doc) };
}

/** The API version whose rules this codec follows. Pinned here, so that an update of the SDK does not move it. */
const apiVersion = "2026-10-21";

/**
 * The same throughout a session, whether a request makes use of them or not: a header that comes and goes could be a key.
 * That of summaries comes with the first that is asked for, and stays while one stands there (PROTOCOLS A.5).
 */
function headersOf({ model, pieces, providerClearing, asksSummary }: Doc): Readonly<Record<string, string>> {
  const betas = [
    ...(bindingMatters(model) ? ["thinking-binding-controls-2026-08-01"] : []),
    ...(capabilitiesOf(model.model).systemMessages ? messageBetas : []),
    ...(providerClearing === undefined ? [] : ["context-management-2025-06-27"]),
    ...(asksSummary === true || pieces[0]?.block.type === "compaction" ? ["compact-2026-09-04"] : []),
  ];
  return {
    "anthropic-version": apiVersion,
    ...(betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }),
  };
}

/** Settings of single messages (PROTOCOLS A.6). */
const messageBetas = ["mid-conversation-system-clear-at-2026-08-21", "mid-conversation-output-config-2026-07-01"];

/** Asks the service itself why it missed; null on the first request. Servers of other makes get no field they may not know. */
function diagnostics({ model, previousResponse }: Doc): readonly string[] {
  if (!capabilitiesOf(model.model).diagnoses) return [];
  const previous = previousResponse === undefined ? "null" : quoted(previousResponse);
  return [`"diagnostics":{"previous_message_id":${previous}}`];
}

/** The service clears in what it reads (PROTOCOLS A.4); the same words in every request of an epoch, but not beside a summary. */
function contextManagement({ providerClearing: clearing, asksSummary }: Doc): readonly string[] {
  if (clearing === undefined || asksSummary === true) return [];
  const tokens = (value: number) => ({ type: "input_tokens", value });
  const edit = {
    type: "clear_tool_uses_20250919",
    trigger: tokens(clearing.triggerTokens),
    keep: { type: "tool_uses", value: clearing.keptUses },
    clear_at_least: tokens(clearing.clearedTokensMin),
    ...(clearing.excludedTools.length === 0 ? {} : { exclude_tools: clearing.excludedTools }),
  };
  return [`"context_management":${JSON.stringify({ edits: [edit] })}`];
}

function bindingMatters(model: ModelChoice): boolean {
  return model.thinking !== "off" && capabilitiesOf(model.model).bindsReasoning;
}

function settings(model: ModelChoice, onMismatch: OnMismatch): readonly string[] {
  const effort = model.effort === null ? [] : [`"output_config":{"effort":${quoted(model.effort)}}`];
  const binding = bindingMatters(model)
    ? `,"display":"summarized","block_binding":{"prefix_mismatch_behavior":"${onMismatch}"}`
    : "";
  return [...thinking(model, binding), ...effort];
}

function thinking(model: ModelChoice, binding: string): readonly string[] {
  if (model.thinking === "off") {
    return capabilitiesOf(model.model).thinkingCanBeOff ? [`"thinking":{"type":"disabled"}`] : [];
  }
  if (model.thinking === "adaptive") return [`"thinking":{"type":"adaptive"${binding}}`];
  // The service wants a budget below the output limit.
  const budget = Math.min(model.thinking.budgetTokens, model.outputTokensMax - 1);
  return [`"thinking":{"type":"enabled","budget_tokens":${budget}${binding}}`];
}

function list(name: string, blocks: readonly Rendered[], parts: readonly Rendered["part"][]): readonly string[] {
  const jsons = blocks.filter(({ part }) => parts.includes(part)).map(({ json }) => json);
  return jsons.length === 0 ? [] : [`"${name}":[${jsons.join(",")}]`];
}

/** Neighbours of one role are one message: the service merges them anyway. */
function messages(blocks: readonly Rendered[]): readonly string[] {
  const groups: { readonly role: string; readonly jsons: string[]; readonly extras: string }[] = [];
  for (const { part, json, extras = [] } of blocks) {
    if (part === "tool" || part === "revealed" || part === "system") continue;
    const role = part === "system-message" ? "system" : part;
    const own = extras.map(([name, value]) => `,"${name}":${value}`).join("");
    const last = groups.at(-1);
    if (last?.role === role && last.extras === "" && own === "") last.jsons.push(json);
    else groups.push({ role, jsons: [json], extras: own });
  }
  return groups.map(({ role, jsons, extras }) => `{"role":"${role}","content":[${jsons.join(",")}]${extras}}`);
}

function marked(json: string, ttl: Mark["ttl"] | undefined): string {
  if (ttl === undefined) return json;
  const marker = ttl === "5m" ? `{"type":"ephemeral"}` : `{"type":"ephemeral","ttl":"1h"}`;
  return `${json.slice(0, json.lastIndexOf("}"))},"cache_control":${marker}}`;
}
