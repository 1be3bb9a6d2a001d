import { isRecord } from "../../kernel/canonical.ts";

/** What may stand in a message of the service: its fields by name, or anything. The service knows no others (PROTOCOLS C). */
export type Shape =
  | { readonly type: "any" }
  | { readonly type: "list"; readonly of: Shape }
  | { readonly type: "fields"; readonly of: Readonly<Record<string, Shape>> };

const any: Shape = { type: "any" };
const list = (of: Shape): Shape => ({ type: "list", of });
const fields = (of: Readonly<Record<string, Shape>>): Shape => ({ type: "fields", of });
const named = (names: string): Readonly<Record<string, Shape>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, any]));

const part = fields({
  ...named(
    "text thought thoughtSignature executableCode codeExecutionResult videoMetadata mediaResolution partMetadata",
  ),
  inlineData: fields(named("mimeType data displayName")),
  fileData: fields(named("mimeType fileUri displayName")),
  functionCall: fields(named("id name args")),
  functionResponse: fields(named("id name response parts willContinue scheduling")),
});
const content = fields({ role: any, parts: list(part) });
const tool = fields({
  ...named("googleSearch googleSearchRetrieval codeExecution urlContext googleMaps fileSearch computerUse"),
  functionDeclarations: list(
    fields(named("name description behavior parameters parametersJsonSchema response responseJsonSchema")),
  ),
});
const toolConfig = fields({
  ...named("retrievalConfig includeServerSideToolInvocations"),
  functionCallingConfig: fields(named("mode allowedFunctionNames")),
});
const generationConfig = fields({
  ...named(
    "stopSequences responseMimeType responseSchema responseJsonSchema responseModalities responseFormat candidateCount " +
      "maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs logprobs speechConfig " +
      "imageConfig mediaResolution enableEnhancedCivicAnswers",
  ),
  thinkingConfig: fields(named("includeThoughts thinkingBudget thinkingLevel")),
});
const prompt = { contents: list(content), systemInstruction: content, tools: list(tool), toolConfig };

export const requestShape: Shape = fields({
  ...prompt,
  ...named("model cachedContent labels serviceTier store"),
  generationConfig,
  safetySettings: list(fields(named("category threshold"))),
});
export const cachedContentShape: Shape = fields({ ...prompt, ...named("model ttl expireTime displayName") });
export const cacheUpdateShape: Shape = fields(named("ttl expireTime"));
export const countShape: Shape = fields({ contents: list(content), generateContentRequest: any });

/**
 * The first name the service does not know, or value of the wrong kind, in its words. `isSent` lets through what left here
 * itself: unknown parts come back as they were.
 */
export function misshapen(
  value: unknown,
  shape: Shape,
  isSent: (value: unknown) => boolean = () => false,
  path = "",
): string | null {
  if (shape.type === "any" || value === undefined || value === null) return null;
  if (shape.type === "list") {
    if (!Array.isArray(value)) return `Invalid value at '${path}': expected a list.`;
    return first(value.map((item: unknown, at) => () => misshapen(item, shape.of, isSent, `${path}[${at}]`)));
  }
  if (!isRecord(value)) return `Invalid value at '${path}': expected an object.`;
  return first(
    Object.entries(value).map(([name, inner]) => () => {
      const known = Object.hasOwn(shape.of, name) ? shape.of[name] : undefined;
      if (known !== undefined) return misshapen(inner, known, isSent, path === "" ? name : `${path}.${name}`);
      if (isSent(value)) return null;
      const where = path === "" ? "" : ` at '${path}'`;
      return `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`;
    }),
  );
}

function first(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const found = check();
    if (found !== null) return found;
  }
  return null;
}
