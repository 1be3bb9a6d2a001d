import type { Wire } from "../../kernel/usage.ts";
import { cutAnthropic } from "./cut-anthropic.ts";
import { cutChat } from "./cut-chat.ts";
import type { SimSegment } from "./segment.ts";

/** A valid request body as the list of what the provider renders: tools, then system, then messages. */
export function cut(wire: Wire, bodyText: string): readonly SimSegment[] {
  return wire === "anthropic" ? cutAnthropic(bodyText) : cutChat(bodyText);
}
