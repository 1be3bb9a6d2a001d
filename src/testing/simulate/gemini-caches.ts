import { hashOf } from "../../kernel/hash.ts";
import { checkRequest } from "./check.ts";
import { bodyOf, type Core, type SimRequest } from "./core.ts";
import { examine } from "./examine.ts";
import type { StoredPrompt } from "./gemini-cached.ts";
import type { GeminiAsk } from "./gemini-route.ts";
import { refused, type Said, said } from "./gemini-said.ts";
import { cachedContentShape, cacheUpdateShape, misshapen } from "./gemini-shape.ts";
import { geminiTraits } from "./models-gemini.ts";
import type { SimModel } from "./sim-model.ts";
import { listOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;
type CacheAsk = Extract<
  GeminiAsk,
  { readonly type: "caches" | "create-cache" | "read-cache" | "update-cache" | "delete-cache" }
>;

const hourMs = 3_600_000;

/** Explicit caches: created, shown, renewed, deleted (PROTOCOLS C.1). One that has expired was never there. */
export function answerCaches(core: Core, request: SimRequest, ask: CacheAsk, now: number): Said {
  const { caches } = core;
  if (ask.type === "caches") return said({ cachedContents: caches.all(now).map(shown) });
  if (ask.type === "create-cache") return create(core, request, now);
  const stored = caches.find(ask.name, now);
  if (stored === null) return refused(403, "CachedContent not found (or permission denied)");
  if (ask.type === "read-cache") return said(shown(stored));
  if (ask.type === "delete-cache") {
    caches.drop(stored.name);
    return said({});
  }
  const body = bodyOf(request.body);
  const bad = misshapen(body, cacheUpdateShape);
  const expireAt = expiryOf(body, now, null);
  if (bad !== null || expireAt === null) return refused(400, bad ?? badExpiry);
  const renewed = { ...stored, expireAt, updatedAt: now };
  caches.put(renewed);
  return said(shown(renewed));
}

function create(core: Core, request: SimRequest, now: number): Said {
  const body = bodyOf(request.body);
  const asked = textOf(body.model).replace(/^models\//, "");
  const hasContents = listOf(body.contents).length > 0;
  const rows = hasContents ? [...prompt, "first-user"] : prompt;
  const bad =
    checkRequest("gemini", request.headers, request.body, core.models, { only: ({ id }) => transport.includes(id) }) ??
    shapeOf(misshapen(body, cachedContentShape, core.memory.sent)) ??
    checkRequest("gemini", request.headers, request.body, core.models, {
      memory: core.memory,
      binding: core.binding,
      asked,
      only: ({ id }) => rows.includes(id),
    });
  if (bad !== null) return refused(bad.status, bad.message);
  const model = core.models.find(({ wire, id }) => wire === "gemini" && id === asked);
  if (model === undefined || !geminiTraits(asked).explicitCaches)
    return refused(
      404,
      `models/${asked} is not found for API version v1beta, or is not supported for createCachedContent.`,
    );
  const expireAt = expiryOf(body, now, now + hourMs);
  return expireAt === null ? refused(400, badExpiry) : store(core, request.body, { body, model, expireAt, now });
}

const transport = ["content-type", "size", "json", "surrogates"];
const prompt = [
  ...["model", "role", "parts-list", "part-data", "part-role", "text", "media", "call", "response"],
  ...["system-instruction", "tools", "declaration", "declaration-unique", "tool-config"],
];

function store(
  core: Core,
  bodyText: string,
  of: { readonly body: Body; readonly model: SimModel; readonly expireAt: number; readonly now: number },
): Said {
  const { body, model, expireAt, now } = of;
  const { segments } = examine(bodyText, body, model, core.binding);
  const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
  if (tokens < model.cacheableTokensMin)
    return refused(
      400,
      `Cached content is too small. total_token_count=${tokens}, min_total_token_count=${model.cacheableTokensMin}`,
    );
  if (tokens > model.windowTokens)
    return refused(
      400,
      `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${model.windowTokens}).`,
    );
  const stored: StoredPrompt = {
    name: `cachedContents/${hashOf(`${now} ${core.caches.all(now).length} ${bodyText}`).slice(0, 24)}`,
    model: model.id,
    displayName: textOf(body.displayName),
    bodyText,
    body,
    tokens,
    createdAt: now,
    updatedAt: now,
    expireAt,
  };
  core.caches.put(stored);
  return said(shown(stored));
}

const badExpiry = "expiration: exactly one of ttl, such as '300s', and expire_time in the future must be given.";

/** Null for one that is malformed or past; `usual` where none is given. */
function expiryOf({ ttl, expireTime }: Body, now: number, usual: number | null): number | null {
  if (ttl !== undefined && expireTime !== undefined) return null;
  if (ttl === undefined && expireTime === undefined) return usual;
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(ttl))?.[1];
  const at = ttl === undefined ? Date.parse(textOf(expireTime)) : now + Number(seconds) * 1_000;
  return at > now ? at : null;
}

/** What it holds is never said again. */
function shown({ name, model, displayName, createdAt, updatedAt, expireAt, tokens }: StoredPrompt) {
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    name,
    model: `models/${model}`,
    ...(displayName === "" ? {} : { displayName }),
    createTime: time(createdAt),
    updateTime: time(updatedAt),
    expireTime: time(expireAt),
    usageMetadata: { totalTokenCount: tokens },
  };
}

function shapeOf(message: string | null): { readonly status: number; readonly message: string } | null {
  return message === null ? null : { status: 400, message };
}
