import { bindingPrefix } from "../../src/testing/simulate/binding.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { encryptReasoning } from "../../src/testing/simulate/responses-reasoning.ts";
import {
  assistant,
  type Body,
  breakpoint,
  type Example,
  fn,
  fnCall,
  fnOutput,
  input,
  remembers,
  responses,
  type Sent,
  user,
} from "./builders.ts";

const bodies = (...list: readonly Body[]): readonly Sent[] => list.map((body) => ({ body }));
const says = (...items: readonly unknown[]) => responses({ input: items });
const old = (more: Body) => responses({ model: "gpt-5.5", ...more });
const six = (...items: readonly unknown[]) => responses({ model: "gpt-6-sol", input: items });
const output = (text: string) => ({ type: "output_text", text, annotations: [] });
const image = (url: string) => ({ type: "input_image", image_url: url });
const custom = (name: string, more: Body = {}) => ({ type: "custom", name, ...more });
const added = (...list: readonly unknown[]) => ({ type: "additional_tools", role: "developer", tools: list });
const update = (more: Body) => ({ type: "configuration_update", ...more });
const png = btoa("\x89PNG\r\n\x1a\n0000");
const shellCall = { type: "local_shell_call", call_id: "s", status: "completed", action: { type: "exec" } };

/** A reasoning item as the simulator would have sent it after these items. */
function reasoned(model: string, before: readonly unknown[], more: Body = {}): Body {
  const prefix = bindingPrefix(cut("responses", JSON.stringify({ model, input: before })));
  return {
    type: "reasoning",
    id: "rs_1",
    summary: [],
    encrypted_content: encryptReasoning({ model, prefix, text: "hm" }),
    ...more,
  };
}
const asked = user("x");
const thought = reasoned("sim-responses", [asked]);
const kept = remembers({ reasoningOf: (id) => (id === "a" ? JSON.stringify([thought]) : undefined) });
const novelty = { type: "simulated_novelty", id: "item_1", payload: 1 };
const remembered = remembers({ sent: (item) => JSON.stringify(item) === JSON.stringify(novelty) });

/** Items of the input, their content, their pairing, their breakpoints and reasoning. */
export const responsesItemExamples: Readonly<Record<string, Example>> = {
  input: {
    bad: bodies(
      responses({ input: undefined }),
      responses({ input: "" }),
      responses({ input: [] }),
      responses({ input: ["x"] }),
      responses({ input: { role: "user", content: "x" } }),
    ),
    good: bodies(responses(), says(asked)),
  },
  "item-played": {
    bad: bodies(
      says({ type: "item_reference", id: "msg_1" }, asked),
      says({ type: "web_search_call", id: "ws_1" }, asked),
      says({ type: "shell_call", id: "sh_1" }, asked),
    ),
    good: bodies(says(asked)),
  },
  "item-type": {
    bad: bodies(says({ type: "tool_use", id: "a" }), says(novelty, asked)),
    good: [{ body: says(asked, novelty, asked), memory: remembered }, ...bodies(says(asked))],
  },
  "item-field": {
    bad: bodies(
      says({ role: "user" }),
      says({ content: "x" }),
      says({ ...asked, tool_calls: [] }),
      says(asked, { type: "function_call", name: "read", arguments: "{}" }, fnOutput("a")),
      says(asked, fnCall("a"), { type: "function_call_output", call_id: "a" }),
      says(asked, fnCall("a", { id: "call_1" }), fnOutput("a")),
      says(asked, fnCall("a"), fnOutput("a", { is_error: true })),
      six(asked, { type: "additional_tools", tools: [fn("a")] }),
    ),
    good: bodies(
      says({ type: "message", role: "developer", content: "x", id: "msg_1" }, asked),
      says(asked, fnCall("a", { id: "fc_1", status: "completed" }), fnOutput("a", { id: "fco_1" })),
    ),
  },
  "item-call": {
    bad: bodies(
      says(asked, fnCall("a", { name: "a b" }), fnOutput("a")),
      says(asked, fnCall("a", { arguments: {} }), fnOutput("a")),
      says(asked, fnCall("a", { arguments: '{"a":' }), fnOutput("a")),
      says(asked, fnCall("a", { arguments: "[]" }), fnOutput("a")),
      says(asked, fnCall(""), fnOutput("")),
      says(asked, { type: "custom_tool_call", call_id: "a", name: "exec", input: {} }),
    ),
    good: bodies(
      says(asked, fnCall("a", { arguments: '{"a":1}' }), fnOutput("a")),
      says(
        asked,
        { type: "custom_tool_call", call_id: "a", name: "exec", input: "text(1)" },
        { type: "custom_tool_call_output", call_id: "a", output: [input("1")] },
      ),
    ),
  },
  "item-update": {
    bad: bodies(
      responses({ model: "gpt-5.6-sol", input: [asked, added(fn("a"))] }),
      old({ input: [asked, update({ reasoning: { effort: "low" } })] }),
      six(asked, { ...added(fn("a")), role: "user" }),
      six(asked, added()),
      six(asked, update({})),
      six(asked, update({ reasoning: { summary: "auto" } })),
      six(asked, update({ text: { verbosity: "low" } })),
      responses({ input: [asked, update({ reasoning: { effort: "none" } })] }),
    ),
    good: bodies(
      six(asked, added(fn("a"), custom("b"))),
      six(asked, update({ reasoning: { effort: "none" } })),
      six(update({ text: { format: { type: "text" } } }), asked),
    ),
  },
  role: {
    bad: bodies(says({ role: "tool", content: "x" }), says({ role: "toString", content: "x" })),
    good: bodies(says({ role: "system", content: "x" }, { role: "developer", content: "y" }, asked)),
  },
  content: {
    bad: bodies(
      says(user("")),
      says(user([])),
      says(user({ text: "x" })),
      says(user([{ type: "text", text: "x" }])),
      says(user([output("x")])),
      says(asked, assistant([input("x")]), asked),
      says(asked, fnCall("a"), fnOutput("a", { output: {} })),
      says(asked, fnCall("a"), fnOutput("a", { output: [output("x")] })),
    ),
    good: bodies(
      says(user([input("x"), image("https://x/y.png")]), assistant([output("y"), { type: "refusal", refusal: "z" }])),
      says(asked, assistant(""), fnCall("a"), fnOutput("a", { output: "" })),
    ),
  },
  "content-part": {
    bad: bodies(
      says(user([{ type: "input_text" }])),
      says(user([input("x", { cache_control: { type: "ephemeral" } })])),
      says(asked, assistant([{ ...output("x"), ...breakpoint() }]), asked),
    ),
    good: bodies(says(user([input("x"), input("")]), assistant([{ ...output("y"), logprobs: [] }]), asked)),
  },
  image: {
    bad: bodies(
      says(user([image("data:image/png;base64,AAAA")])),
      says(user([image(`data:image/jpeg;base64,${png}`)])),
      says(asked, fnCall("a"), fnOutput("a", { output: [image("x")] })),
    ),
    good: bodies(says(user([image(`data:image/png;base64,${png}`), { type: "input_image", file_id: "file_1" }]))),
  },
  "call-unique": {
    bad: bodies(
      says(asked, fnCall("a"), fnCall("a"), fnOutput("a")),
      says(asked, fnCall("a"), fnOutput("a"), fnCall("a"), fnOutput("a")),
    ),
    good: bodies(says(asked, fnCall("a"), fnOutput("a"), fnCall("b"), fnOutput("b"))),
  },
  "call-answered": {
    bad: bodies(
      says(asked, fnCall("a")),
      says(asked, fnCall("a"), fnCall("b"), fnOutput("a"), asked),
      says(asked, fnOutput("a"), fnCall("a")),
      says(asked, { type: "custom_tool_call", call_id: "a", name: "exec", input: "" }, fnOutput("a")),
      says(asked, shellCall),
    ),
    good: bodies(
      says(asked, fnCall("a"), fnCall("b"), fnOutput("b"), fnOutput("a"), asked),
      says(asked, fnCall("a"), fnOutput("a"), fnCall("b"), fnOutput("b")),
      says(asked, shellCall, { type: "local_shell_call_output", id: "s", output: "ok" }),
    ),
  },
  "result-orphan": {
    bad: bodies(
      says(asked, fnOutput("a")),
      says(asked, fnCall("a"), fnOutput("a"), fnOutput("z")),
      says(asked, fnCall("a"), fnOutput("a"), { type: "custom_tool_call_output", call_id: "a", output: "x" }),
    ),
    good: bodies(says(asked, fnCall("a"), fnOutput("a"))),
  },
  "result-twice": {
    bad: bodies(says(asked, fnCall("a"), fnOutput("a"), fnOutput("a"))),
    good: bodies(
      says(
        asked,
        { type: "custom_tool_call", call_id: "a", name: "exec", input: "" },
        { type: "custom_tool_call_output", call_id: "a", output: "note" },
        { type: "custom_tool_call_output", call_id: "a", output: "end" },
      ),
    ),
  },
  "cache-options": {
    bad: bodies(
      old({ prompt_cache_options: { mode: "implicit" } }),
      responses({ prompt_cache_options: { mode: "auto" } }),
      responses({ prompt_cache_options: { ttl: "1h" } }),
      responses({ prompt_cache_options: { prewarm: 1 } }),
      responses({ prompt_cache_options: { comparison_response_id: 1 } }),
      responses({ prompt_cache_options: { retention: "24h" } }),
    ),
    good: bodies(
      responses({ prompt_cache_options: { mode: "explicit", ttl: "12h", comparison_response_id: null } }),
      responses({ model: "gpt-5.6-luna", prompt_cache_options: { ttl: "30m" } }),
    ),
  },
  "cache-retention": {
    bad: bodies(
      responses({ prompt_cache_retention: "24h" }),
      old({ prompt_cache_retention: "in_memory" }),
      responses({ model: "gpt-5.4", prompt_cache_retention: "1h" }),
    ),
    good: bodies(
      old({ prompt_cache_retention: "24h" }),
      responses({ model: "gpt-5.4", prompt_cache_retention: "in_memory" }),
    ),
  },
  breakpoint: {
    bad: bodies(
      old({ input: [user([input("x", breakpoint())])] }),
      says(user([input("x", { prompt_cache_breakpoint: { mode: "implicit" } })])),
      says(user([input("x", breakpoint("5m"))])),
      says(user([input("", breakpoint())])),
    ),
    good: bodies(
      says(user([input("x", breakpoint()), input("y", breakpoint("12h"))])),
      says(asked, fnCall("a"), fnOutput("a", { output: [input("ok", breakpoint())] })),
    ),
  },
  "reasoning-item": {
    bad: bodies(
      says(asked, { ...thought, encrypted_content: null }, assistant("y"), asked),
      says(asked, { ...thought, summary: ["x"] }, assistant("y"), asked),
    ),
    good: bodies(says(asked, { ...thought, summary: [{ type: "summary_text", text: "hm" }] }, assistant("y"), asked)),
  },
  "reasoning-signature": {
    bad: bodies(
      says(asked, { ...thought, encrypted_content: "gAAAA" }, assistant("y"), asked),
      says(asked, { ...thought, encrypted_content: btoa("sim-responses 0 0 hm") }, assistant("y"), asked),
      responses({ model: "gpt-5.5", input: [asked, { ...thought, encrypted_content: "gAAAA" }, assistant("y")] }),
    ),
    good: bodies(says(asked, thought, assistant("y"), asked)),
  },
  "reasoning-followed": {
    bad: bodies(says(asked, thought), says(asked, thought, user("y"))),
    good: [
      ...bodies(says(asked, thought, fnCall("a"), fnOutput("a"))),
      { body: says(asked, thought, novelty, asked), memory: remembered },
    ],
  },
  "reasoning-loop": {
    bad: [{ body: says(asked, fnCall("a"), fnOutput("a")), memory: kept }],
    good: [
      { body: says(asked, thought, fnCall("a"), fnOutput("a")), memory: kept },
      // The turn is over, or the item would be removed anyway.
      { body: says(asked, fnCall("a"), fnOutput("a"), assistant("y"), user("z")), memory: kept },
      { body: says(user("X"), fnCall("a"), fnOutput("a")), memory: kept },
      { body: six(asked, fnCall("a"), fnOutput("a")), memory: kept },
    ],
  },
  "reasoning-bound": {
    bad: bodies(
      says(user("X"), thought, assistant("y"), asked),
      says({ role: "developer", content: "new" }, asked, thought, assistant("y"), asked),
      responses({ tools: [fn("a")], input: [asked, thought, assistant("y"), asked] }),
    ),
    good: bodies(
      says(user([input("x", breakpoint())]), thought, assistant("y"), asked),
      responses({ instructions: "for this turn", input: [asked, thought, assistant("y"), asked] }),
      six(user("X"), reasoned("gpt-6-sol", [asked]), assistant("y"), asked),
      six(user("X"), thought, assistant("y"), asked),
    ),
  },
};
