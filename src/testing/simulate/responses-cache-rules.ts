import { isRecord } from "../../kernel/canonical.ts";
import { partsOf } from "./responses-content-rules.ts";
import { invalidType, invalidValue, notSupported } from "./responses-found.ts";
import { unknownMember } from "./responses-request-rules.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { recordOf } from "./value.ts";

const modes = ["implicit", "explicit"];
const lifetimes = ["30m", "12h"];

/** How the prompt is cached: by breakpoints from 5.6 on, by a retention before (PROTOCOLS B.2). */
export const responsesCacheRules: readonly Rule[] = [
  { id: "cache-options", paragraph: "B.2", check: badOptions },
  {
    id: "cache-retention",
    paragraph: "B.2",
    check: ({ body: { prompt_cache_retention: asked }, model }) => {
      const { retentions } = model.responses;
      if (asked == null || retentions.includes(String(asked))) return null;
      const param = "prompt_cache_retention";
      return retentions.length === 0 ? notSupported(param, model.id) : invalidValue(asked, retentions, param);
    },
  },
  {
    id: "breakpoint",
    paragraph: "B.2",
    check: (input) =>
      firstOf(partsOf(input), ({ part, path }) => {
        const breakpoint = part.prompt_cache_breakpoint;
        const at = `${path}.prompt_cache_breakpoint`;
        if (breakpoint == null) return null;
        if (input.model.responses.cache !== "breakpoints") return notSupported(at, input.model.id);
        return badBreakpoint(breakpoint, at) ?? (part.text === "" ? emptyPart(at) : null);
      }),
  },
];

function badOptions({ body: { prompt_cache_options: options }, model }: RuleInput): Found | null {
  const path = "prompt_cache_options";
  if (options == null) return null;
  if (model.responses.cache !== "breakpoints") return notSupported(path, model.id);
  if (!isRecord(options)) return invalidType(path, "an object");
  const { mode, ttl, prewarm, comparison_response_id: compared } = options;
  if (mode !== undefined && !modes.includes(String(mode))) return invalidValue(mode, modes, `${path}.mode`);
  if (ttl !== undefined && !lifetimes.includes(String(ttl))) return invalidValue(ttl, lifetimes, `${path}.ttl`);
  if (prewarm !== undefined && typeof prewarm !== "boolean") return invalidType(`${path}.prewarm`, "a boolean");
  if (compared != null && typeof compared !== "string")
    return invalidType(`${path}.comparison_response_id`, "a string");
  return unknownMember(options, path, ["mode", "ttl", "prewarm", "comparison_response_id"]);
}

function badBreakpoint(breakpoint: unknown, path: string): Found | null {
  const { mode, ttl } = recordOf(breakpoint);
  if (mode !== "explicit") return invalidValue(mode, ["explicit"], `${path}.mode`);
  if (ttl !== undefined && !lifetimes.includes(String(ttl))) return invalidValue(ttl, lifetimes, `${path}.ttl`);
  return unknownMember(breakpoint, path, ["mode", "ttl"]);
}

function emptyPart(param: string): Found {
  return { message: `Invalid '${param}': a breakpoint cannot stand on an empty part.`, code: "invalid_value", param };
}
