import { misshapen, requestShape } from "./gemini-shape.ts";
import { geminiTraits } from "./models-gemini.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { numberOf, recordOf, textOf } from "./value.ts";

/** The envelope of a generateContent request. */
export const geminiRequestRules: readonly Rule[] = [
  {
    id: "model",
    paragraph: "C.1",
    check: ({ asked, model }) =>
      model.id === asked
        ? null
        : {
            status: 404,
            message: `models/${String(asked)} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
          },
  },
  {
    id: "unknown-field",
    paragraph: "C.2",
    check: ({ body, memory }) => found(misshapen(body, requestShape, memory.sent)),
  },
  { id: "cached-content", paragraph: "C.1", check: badCache },
  { id: "output-limit", paragraph: "C.2", check: outputLimit },
  { id: "thinking", paragraph: "C.2", check: ({ body, model }) => badThinking(thinkingOf(body), model.id) },
  { id: "sampling", paragraph: "C.2", check: badSampling },
  { id: "response-format", paragraph: "C.2", check: badFormat },
];

function found(message: string | null): Found | null {
  return message === null ? null : { message };
}

/** What a cached content fixed is not said again, and it is there, for this model (C.1). */
function badCache({ body, stored, model }: RuleInput): Found | null {
  if (body.cachedContent === undefined) return null;
  const fixed = ["systemInstruction", "tools", "toolConfig"].filter((name) => body[name] !== undefined);
  if (fixed.length > 0)
    return found(
      "CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.\n\nProposed fix: move those values to CachedContent from GenerateContent request.",
    );
  if (stored === null) return { status: 403, message: "CachedContent not found (or permission denied)" };
  return stored.model === model.id
    ? null
    : found(
        `Model used by GenerateContent request (models/${model.id}) and CachedContent (models/${stored.model}) has to be the same.`,
      );
}

function outputLimit({ body, model }: RuleInput): Found | null {
  const asked = configOf(body).maxOutputTokens;
  if (asked === undefined || (isWhole(asked) && asked >= 1 && asked <= model.outputTokensMax)) return null;
  return found(
    `Unable to submit request because it has a maxOutputTokens value of ${String(asked)} but the supported range is from 1 (inclusive) to ${model.outputTokensMax + 1} (exclusive). Update the value and try again.`,
  );
}

/** From 4 on thinking has levels only; before 3 it has budgets only (C.2). */
function badThinking(
  { thinkingLevel: level, thinkingBudget: budget, includeThoughts }: Readonly<Record<string, unknown>>,
  id: string,
): Found | null {
  const { thinkingLevels, thinkingBudget } = geminiTraits(id);
  if (includeThoughts !== undefined && typeof includeThoughts !== "boolean")
    return found("Invalid value at 'generation_config.thinking_config.include_thoughts' (TYPE_BOOL)");
  if (level !== undefined && budget !== undefined)
    return found("You can only set one of thinking budget and thinking level.");
  if (level !== undefined && thinkingLevels.length === 0)
    return found("Thinking level is not supported for this model.");
  if (level !== undefined && !thinkingLevels.includes(textOf(level).toLowerCase()))
    return found(`Invalid value at 'generation_config.thinking_config.thinking_level': ${JSON.stringify(level)}`);
  if (budget === undefined || budget === -1) return budget === -1 && thinkingBudget === null ? noBudget : null;
  if (thinkingBudget === null) return noBudget;
  const { min, max, canBeOff } = thinkingBudget;
  if (isWhole(budget) && ((budget >= min && budget <= max) || (budget === 0 && canBeOff))) return null;
  return found(`The thinking budget ${String(budget)} is invalid. Please choose a value between ${min} and ${max}.`);
}

const noBudget: Found = { message: "Thinking budget is not supported for this model. Please use thinking level." };

const ranges: Readonly<Record<string, readonly [min: number, max: number]>> = {
  temperature: [0, 2],
  topP: [0, 1],
  topK: [1, 1_000],
  candidateCount: [1, 1],
};

function badSampling({ body }: RuleInput): Found | null {
  const config = configOf(body);
  const stops = config.stopSequences;
  if (stops !== undefined && (!Array.isArray(stops) || stops.length > 5 || stops.some((stop) => textOf(stop) === "")))
    return found("Invalid value at 'generation_config.stop_sequences': up to 5 non-empty strings.");
  return firstOf(Object.entries(ranges), ([name, [min, max]]) => {
    const value = config[name];
    const number = numberOf(value);
    if (value === undefined || (number !== null && number >= min && number <= max)) return null;
    return `Invalid value at 'generation_config.${name}': ${String(value)}; the supported range is from ${min} to ${max}.`;
  });
}

function badFormat({ body }: RuleInput): Found | null {
  const { responseMimeType: mime, responseSchema, responseJsonSchema } = configOf(body);
  if (mime !== undefined && !["text/plain", "application/json", "text/x.enum"].includes(textOf(mime)))
    return found(
      `* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are text/plain, application/json and text/x.enum, not ${String(mime)}.`,
    );
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    return found("Only one of response_schema and response_json_schema may be set.");
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined;
  return hasSchema && (mime === undefined || mime === "text/plain")
    ? found("response_schema needs the response_mime_type application/json.")
    : null;
}

function configOf(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return recordOf(body.generationConfig);
}

function thinkingOf(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return recordOf(configOf(body).thinkingConfig);
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}
