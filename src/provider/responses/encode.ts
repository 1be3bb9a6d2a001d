import type { WireRequest } from "../../ports/model.ts";
import { quoted } from "../../prompt/apply.ts";
import type { Doc } from "../../prompt/doc.ts";
import type { Mark } from "../codec.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { effortName } from "./effort.ts";
import { renderedOf } from "./item.ts";
import { draftsOfRendered, type Rendered } from "./rendered.ts";

/**
 * The request body as text: stored pieces put together, keys in a fixed order (law 7). Nothing is kept by the service
 * (`store: false`), so reasoning comes back encrypted and goes along with every later request.
 */
export function encodeResponses(doc: Doc, marks: readonly Mark[]): WireRequest {
  const rendered = marked(renderedOf(doc), marks);
  const tools = rendered.filter(({ part }) => part === "tool").map(({ json }) => json);
  const members = [
    `"model":${quoted(doc.model.model)}`,
    `"stream":true`,
    `"store":false`,
    ...settings(doc),
    ...(tools.length === 0 ? [] : [`"tools":[${tools.join(",")}]`]),
    `"input":[${[...items(rendered), ...(doc.asksSummary === true ? [summaryAsk] : [])].join(",")}]`,
  ];
  return { wire: "responses", body: `{${members.join(",")}}`, headers: {} };
}

/** Forces the service's own summary (PROTOCOLS B.4). Nothing of it is rendered, so all in front of it is read from the cache. */
const summaryAsk = `{"type":"compaction_trigger"}`;

function settings({ model, cacheKey, previousResponse }: Doc): readonly string[] {
  const { reasons, encrypts, breakpoints } = capabilitiesOf(model.model);
  const effort = model.effort === null ? [] : [`"effort":${quoted(effortName(model.effort))}`];
  const reasoning = reasons ? [...effort, `"summary":"auto"`] : effort;
  const compared = previousResponse === undefined ? "" : `,"comparison_response_id":${quoted(previousResponse)}`;
  return [
    `"max_output_tokens":${model.outputTokensMax}`,
    ...(reasoning.length === 0 ? [] : [`"reasoning":{${reasoning.join(",")}}`]),
    ...(encrypts ? [`"include":["reasoning.encrypted_content"]`] : []),
    ...(cacheKey === "" ? [] : [`"prompt_cache_key":${quoted(cacheKey)}`]),
    ...(breakpoints ? [`"prompt_cache_options":{"mode":"implicit"${compared}}`] : []),
  ];
}

/** Parts carry their breakpoints; a mark on anything else has no place on this wire. */
function marked(rendered: readonly Rendered[], marks: readonly Mark[]): readonly Rendered[] {
  if (marks.length === 0) return rendered;
  const ttls = new Map(marks.map((mark) => [mark.segment, mark.ttl]));
  let segment = 0;
  return rendered.map((one) => {
    const ttl = ttls.get(segment);
    segment += draftsOfRendered(one).length;
    if (ttl === undefined || (one.part !== "section" && one.part !== "user")) return one;
    const longer = ttl === "1h" ? `,"ttl":"12h"` : "";
    return { ...one, json: `${one.json.slice(0, -1)},"prompt_cache_breakpoint":{"mode":"explicit"${longer}}}` };
  });
}

/** All sections are one developer message, the first item; parts that join are one user message. */
function items(rendered: readonly Rendered[]): readonly string[] {
  const sections = rendered.filter(({ part }) => part === "section").map(({ json }) => json);
  const made = sections.length === 0 ? [] : [messageOf("developer", sections)];
  let open: string[] = [];
  const close = () => {
    if (open.length > 0) made.push(messageOf("user", open));
    open = [];
  };
  for (const { part, json, joins } of rendered) {
    if (!joins) close();
    if (part === "user") open.push(json);
    else if (part === "item") made.push(json);
  }
  close();
  return made;
}

function messageOf(role: "developer" | "user", parts: readonly string[]): string {
  return `{"type":"message","role":"${role}","content":[${parts.join(",")}]}`;
}
