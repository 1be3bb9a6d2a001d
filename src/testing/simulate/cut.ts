import type { Wire } from "../../kernel/usage.ts";
import { cutAnthropic } from "./cut-anthropic.ts";
import { cutChat } from "./cut-chat.ts";
import { cutGemini } from "./cut-gemini.ts";
import { cutResponses } from "./cut-responses.ts";
import type { SimSegment } from "./segment.ts";

/** A valid request body as the list of what the provider renders: tools, then system, then messages. */
export function cut(wire: Wire, bodyText: string): readonly SimSegment[] {
  if (last?.wire === wire && last.bodyText === bodyText) return last.segments;
  last = { wire, bodyText, segments: cuts[wire](bodyText) };
  return last.segments;
}

const cuts: Readonly<Record<Wire, (bodyText: string) => readonly SimSegment[]>> = {
  anthropic: cutAnthropic,
  chat: cutChat,
  responses: cutResponses,
  gemini: cutGemini,
};

/** The rules and the cache look at the same body one after the other. */
let last: { readonly wire: Wire; readonly bodyText: string; readonly segments: readonly SimSegment[] } | undefined;
