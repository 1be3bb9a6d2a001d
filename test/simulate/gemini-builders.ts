import type { SimRequest } from "../../src/testing/simulate/core.ts";
import { signPart } from "../../src/testing/simulate/gemini-signature.ts";
import type { Body } from "./builders.ts";

export const geminiHeaders = { "content-type": "application/json", "x-goog-api-key": "k" };

export const says = (...texts: readonly string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) });
export const model = (...parts: readonly Body[]) => ({ role: "model", parts });
export const answers = (...parts: readonly Body[]) => ({ role: "user", parts });
export const callPart = (name: string, more: Body = {}): Body => ({ functionCall: { name, args: {}, ...more } });
export const responsePart = (name: string, more: Body = {}): Body => ({
  functionResponse: { name, response: { output: "ok" }, ...more },
});

/** The model stands in the path; here it is a member that `postGemini` takes out. */
export function gemini(more: Body = {}): Body {
  return { contents: [says("hello")], ...more };
}

export function declared(name: string, more: Body = {}): Body {
  return { functionDeclarations: [{ name, description: "d", parameters: { type: "OBJECT" }, ...more }] };
}

/** As if `sim-gemini` had made it in the answer of that id. */
export function signed(part: Body, by = "sim-gemini", answer = "a"): Body {
  return signPart(part, by, answer);
}

export function postGemini(body: Body, action = "generateContent"): SimRequest {
  const { model: id = "sim-gemini", ...rest } = body;
  return {
    method: "POST",
    path: `/v1beta/models/${String(id)}:${action}`,
    headers: geminiHeaders,
    body: JSON.stringify(rest),
  };
}
