import { bounds } from "../kernel/bounds.ts";
import type { Wire } from "../kernel/usage.ts";
import type { Model } from "../ports/model.ts";
import { openAnthropic } from "./model-anthropic.ts";
import { openGemini } from "./model-gemini.ts";
import { openOpenAi } from "./model-openai.ts";
import { modelOver, type Open } from "./model-stream.ts";

type Options = {
  readonly wire: Wire;
  /** With or without `/v1`. */
  readonly baseUrl: string;
  /** Empty for servers without one. Goes into one header of the request and nowhere else. */
  readonly apiKey: string;
  /** ms without an event that end the attempt; tests give a short one. */
  readonly idleMsMax?: number;
  /** ms and bytes that a response may take; tests give short ones. */
  readonly msMax?: number;
  readonly bytesMax?: number;
};

/** A `Model` over the wire's official SDK, which is loaded with the first request. */
export function sdkModel(options: Options): Model {
  const { wire, baseUrl, apiKey, idleMsMax = bounds.streamIdleMsMax } = options;
  const { msMax = bounds.responseMsMax, bytesMax = bounds.responseBytesMax } = options;
  const { open, keyHeader } = transports[wire];
  // Our own watch comes first; the SDK's limit stands behind it.
  const opened = open({ baseUrl, apiKey, timeoutMs: 2 * idleMsMax });
  return modelOver({ open: opened, apiKey, keyHeader, idleMsMax, msMax, bytesMax });
}

type Transport = {
  readonly open: (options: { readonly baseUrl: string; readonly apiKey: string; readonly timeoutMs: number }) => Open;
  readonly keyHeader: (apiKey: string) => Readonly<Record<string, string>>;
};

const transports: Readonly<Record<Wire, Transport>> = {
  anthropic: { open: openAnthropic, keyHeader: (apiKey) => ({ "x-api-key": apiKey }) },
  chat: { open: openOpenAi("/chat/completions"), keyHeader: (apiKey) => ({ authorization: `Bearer ${apiKey}` }) },
  responses: { open: openOpenAi("/responses"), keyHeader: (apiKey) => ({ authorization: `Bearer ${apiKey}` }) },
  gemini: { open: openGemini, keyHeader: (apiKey) => ({ "x-goog-api-key": apiKey }) },
};
