import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import type { Rule } from "./rule.ts";

const bytesMax = 32 * 1024 * 1024;

/** What all services ask of any request before they read it. */
export const transportRules: readonly Rule[] = [
  {
    id: "key",
    paragraph: "A.10",
    check: ({ wire, headers }) => {
      const bearer = /^bearer\s+\S/i.test(headers.authorization ?? "");
      if (bearer || (headers[wire === "gemini" ? "x-goog-api-key" : "x-api-key"] ?? "").trim() !== "") return null;
      if (wire === "anthropic") return { status: 401, message: "x-api-key header is required" };
      if (wire === "gemini")
        return {
          status: 403,
          message:
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
        };
      return { status: 401, message: "You didn't provide an API key.", code: "invalid_api_key" };
    },
  },
  {
    id: "content-type",
    paragraph: "A.10",
    check: ({ headers }) =>
      /^application\/json\b/i.test(headers["content-type"] ?? "")
        ? null
        : { message: "Content-Type must be application/json" },
  },
  {
    id: "size",
    paragraph: "A.10",
    check: ({ bodyText }) =>
      bodyText.length <= bytesMax ? null : { status: 413, message: "Request exceeds the maximum size" },
  },
  {
    id: "json",
    paragraph: "A.10",
    check: ({ bodyText }) => {
      const parsed = parseJson(bodyText);
      if (parsed.type === "bad") return { message: `The request body is not valid JSON: ${parsed.why}` };
      return isRecord(parsed.value) ? null : { message: "The request body must be a JSON object" };
    },
  },
  {
    id: "surrogates",
    paragraph: "A.10",
    check: ({ body }) =>
      isWellFormed(body) ? null : { message: "The request body is not valid JSON: no low surrogate in string" },
  },
];

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}
