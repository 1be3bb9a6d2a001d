import { isRecord } from "../kernel/canonical.ts";
import type { Wire } from "../kernel/usage.ts";
import { effortOf } from "./effort.ts";
import { type ListedModel, lifecycleOf } from "./listed-model.ts";

/** One page of a provider's listing of its models. `next`: the cursor of the page behind it. */
export type ListingPage = { readonly models: readonly ListedModel[]; readonly next: string | null };

/** What a wire's service answers to `GET .../models`; null: that is no listing. Fields of a wrong type are not said. */
export function listingPage(wire: Wire, body: unknown): ListingPage | null {
  return isRecord(body) ? readers[wire](body) : null;
}

/** The wire whose shape a service's listing has: one service may speak two wires, and lists its models once. */
export function listingWire(wire: Wire): Wire {
  return wire === "responses" ? "chat" : wire;
}

/** Path and query behind the service's base. */
export function listingPath(wire: Wire, cursor: string | null): string {
  const { path, size, after } = paths[wire];
  const query = [...size, ...(cursor === null ? [] : [`${after}=${encodeURIComponent(cursor)}`])].join("&");
  return query === "" ? path : `${path}?${query}`;
}

type Path = { readonly path: string; readonly size: readonly string[]; readonly after: string };

const openAiPath: Path = { path: "/models", size: [], after: "after" };
const paths: Readonly<Record<Wire, Path>> = {
  anthropic: { path: "/v1/models", size: ["limit=1000"], after: "after_id" },
  chat: openAiPath,
  responses: openAiPath,
  gemini: { path: "/models", size: ["pageSize=1000"], after: "pageToken" },
};

type Fields = Readonly<Record<string, unknown>>;

const readers: Readonly<Record<Wire, (body: Fields) => ListingPage | null>> = {
  anthropic: (body) => {
    const last = text(body.last_id);
    return page(body.data, anthropicModel, body.has_more === true ? last : null);
  },
  chat: (body) => page(body.data, openAiModel, null),
  responses: (body) => page(body.data, openAiModel, null),
  gemini: (body) => page(body.models, geminiModel, text(body.nextPageToken)),
};

function page(list: unknown, modelOf: (item: Fields) => ListedModel | null, next: string | null): ListingPage | null {
  if (!Array.isArray(list)) return null;
  return { models: list.flatMap((item) => (isRecord(item) ? (modelOf(item) ?? []) : [])), next };
}

const unsaid = {
  inputTokensMax: null,
  outputTokensMax: null,
  lifecycle: null,
  retiresOn: null,
  thinking: null,
  efforts: null,
} as const;

function anthropicModel(item: Fields): ListedModel | null {
  const id = text(item.id);
  if (id === null) return null;
  const capabilities = isRecord(item.capabilities) ? item.capabilities : {};
  return {
    id,
    inputTokensMax: tokens(item.max_input_tokens),
    outputTokensMax: tokens(item.max_tokens),
    lifecycle: lifecycleOf(item.lifecycle),
    retiresOn: text(item.retires_at)?.slice(0, "2027-01-22".length) ?? null,
    thinking: thinkingOf(capabilities.thinking),
    efforts: supportedIn(capabilities.effort)?.flatMap((name) => effortOf(name) ?? []) ?? null,
  };
}

/** Ids only, by its own documents. Other servers of this wire name the window, each by another word. */
function openAiModel(item: Fields): ListedModel | null {
  const id = text(item.id);
  if (id === null) return null;
  const windows = [item.max_model_len, item.context_length, item.context_window, item.max_context_length];
  const answers = [item.max_completion_tokens, item.max_output_tokens];
  const first = (values: readonly unknown[]) => values.map(tokens).find((value) => value !== null) ?? null;
  return { ...unsaid, id, inputTokensMax: first(windows), outputTokensMax: first(answers) };
}

function geminiModel(item: Fields): ListedModel | null {
  const id = text(item.name)?.replace(/^models\//, "") ?? null;
  const methods = item.supportedGenerationMethods;
  if (id === null || (Array.isArray(methods) && !methods.includes("generateContent"))) return null;
  return {
    ...unsaid,
    id,
    inputTokensMax: tokens(item.inputTokenLimit),
    outputTokensMax: tokens(item.outputTokenLimit),
  };
}

function thinkingOf(value: unknown): readonly string[] | null {
  return isRecord(value) ? supportedIn({ ...(isRecord(value.types) ? value.types : {}), supported: true }) : null;
}

/** Names of the parts that are supported; null where nothing is said, none where the whole is not. */
function supportedIn(value: unknown): readonly string[] | null {
  if (!isRecord(value) || typeof value.supported !== "boolean") return null;
  if (!value.supported) return [];
  return Object.entries(value).flatMap(([name, part]) => (isRecord(part) && part.supported === true ? [name] : []));
}

function tokens(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
