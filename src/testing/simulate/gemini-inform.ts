import { checkRequest } from "./check.ts";
import { bodyOf, type Core, modelOf, type SimRequest } from "./core.ts";
import { errorBody } from "./error-body.ts";
import { examine } from "./examine.ts";
import { shownBy } from "./gemini-cached.ts";
import { answerCaches } from "./gemini-caches.ts";
import type { GeminiAsk } from "./gemini-route.ts";
import { refused, type Said, said } from "./gemini-said.ts";
import { countShape, misshapen } from "./gemini-shape.ts";
import { geminiTraits } from "./models-gemini.ts";
import type { Outcome } from "./outcome.ts";
import { whole } from "./respond.ts";
import type { SimModel } from "./sim-model.ts";
import { recordOf } from "./value.ts";

/** All of this service that is no model request and leaves no record. */
export function geminiInform(core: Core, request: SimRequest, ask: GeminiAsk, now: number): Outcome {
  const keyless = checkRequest("gemini", request.headers, request.body, core.models, {
    only: ({ id }) => id === "key",
  });
  const answer = keyless === null ? answerTo(core, request, ask, now) : refused(keyless.status, keyless.message);
  if (answer.type === "refused") return whole(0, answer.status, errorBody("gemini", answer, ""), {});
  return whole(0, 200, JSON.stringify(answer.value), {});
}

function answerTo(core: Core, request: SimRequest, ask: GeminiAsk, now: number): Said {
  const models = core.models.filter((model) => model.wire === "gemini");
  if (ask.type === "unknown") return refused(404, `no route for ${request.method} ${request.path.split("?")[0]}`);
  if (ask.type === "models") return said({ models: models.map(listed) });
  if (ask.type === "count") return count(core, request, ask.model, now);
  if (ask.type !== "model") return answerCaches(core, request, ask, now);
  const model = models.find(({ id }) => id === ask.model);
  return model === undefined
    ? refused(404, `Model is not found: models/${ask.model} for api version v1beta`)
    : said(listed(model));
}

function listed({ id, windowTokens, outputTokensMax }: SimModel) {
  const methods = ["generateContent", "countTokens"];
  return {
    name: `models/${id}`,
    version: "001",
    displayName: id,
    description: "simulated",
    inputTokenLimit: windowTokens,
    outputTokenLimit: outputTokensMax,
    supportedGenerationMethods: geminiTraits(id).explicitCaches ? [...methods, "createCachedContent"] : methods,
    temperature: 1,
    topP: 0.95,
    topK: 64,
    maxTemperature: 2,
    thinking: true,
  };
}

/** Contents alone, or a whole request; what is counted need not be complete. */
function count(core: Core, request: SimRequest, model: string, now: number): Said {
  const outer = bodyOf(request.body);
  const asked = recordOf(outer.generateContentRequest);
  const body = outer.generateContentRequest === undefined ? outer : asked;
  const stored = core.caches.find(body.cachedContent, now);
  const text = JSON.stringify(body);
  const account = { memory: core.memory, binding: core.binding, asked: model, stored };
  const bad =
    checkRequest("gemini", request.headers, request.body, core.models, { only: ({ id }) => transport.includes(id) }) ??
    shapeOf(misshapen(outer, countShape, core.memory.sent)) ??
    checkRequest("gemini", request.headers, text, core.models, {
      ...account,
      only: ({ id }) => !uncounted.includes(id),
    });
  if (bad !== null) return refused(bad.status, bad.message);
  const shown = shownBy(text, body, stored);
  const { promptTokens } = examine(shown.text, shown.body, modelOf(core, model, "gemini"), core.binding);
  return said({
    totalTokens: promptTokens,
    ...(shown.heldTokens > 0 ? { cachedContentTokenCount: shown.heldTokens } : {}),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: promptTokens }],
  });
}

const transport = ["content-type", "size", "json", "surrogates"];
const uncounted = ["last-user", "signature-missing", "signature-corrupted", "signature-parts"];

function shapeOf(message: string | null): { readonly status: number; readonly message: string } | null {
  return message === null ? null : { status: 400, message };
}
