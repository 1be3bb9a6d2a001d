import { clientSearch } from "./responses-tools.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { inputItemsOf, textOf } from "./value.ts";

type Item = Readonly<Record<string, unknown>>;

/** Kinds of calls, what answers them, and how the service names them. */
const pairs = [
  { call: "function_call", output: "function_call_output", name: "function call" },
  { call: "custom_tool_call", output: "custom_tool_call_output", name: "custom tool call" },
  { call: "local_shell_call", output: "local_shell_call_output", name: "local shell call" },
  { call: "tool_search_call", output: "tool_search_output", name: "tool search call" },
] as const;

/** Calls and their outputs (PROTOCOLS B.6): each output behind its call, each call answered. */
export const responsesPairingRules: readonly Rule[] = [
  {
    id: "call-unique",
    paragraph: "B.6",
    check: ({ body }) => {
      const seen = new Set<string>();
      return firstOf(inputItemsOf(body), (item) => {
        const id = pairs.some(({ call }) => call === item.type) ? idOf(item) : "";
        if (id !== "" && seen.has(id)) return { message: `Duplicate tool call id found: ${id}.`, param: "input" };
        seen.add(id);
        return null;
      });
    },
  },
  {
    id: "call-answered",
    paragraph: "B.6",
    check: ({ body }) => {
      const items = inputItemsOf(body);
      return firstOf(items, (item, at) => {
        const pair = pairs.find(({ call }) => call === item.type);
        if (pair === undefined || idOf(item) === "") return null;
        const isAnswered = items.slice(at + 1).some((later) => answers(later, item, pair));
        return isAnswered ? null : { message: `No tool output found for ${pair.name} ${idOf(item)}.`, param: "input" };
      });
    },
  },
  {
    // A search of the service's own needs nothing of ours.
    id: "search-declared",
    paragraph: "B.5",
    check: ({ body }) =>
      firstOf(inputItemsOf(body), (item, at) => {
        const isOurs = item.type === "tool_search_call" || item.type === "tool_search_output";
        if (!isOurs || item.execution === "server" || clientSearch(body) !== undefined) return null;
        const message = `Item of type '${textOf(item.type)}' needs a tool of type 'tool_search' with execution 'client'.`;
        return { message, param: `input[${at}]` };
      }),
  },
  { id: "result-orphan", paragraph: "B.6", check: orphan },
  {
    // A custom tool may answer more than once: codex's `notify` does (STACK 5).
    id: "result-twice",
    paragraph: "B.6",
    check: ({ body }) => {
      const seen = new Set<string>();
      return firstOf(inputItemsOf(body), (item) => {
        if (item.type !== "function_call_output") return null;
        const id = idOf(item);
        if (seen.has(id)) return { message: `Duplicate tool output found for function call ${id}.`, param: "input" };
        seen.add(id);
        return null;
      });
    },
  },
];

function idOf(item: Item): string {
  return textOf(item.call_id) || (item.type === "local_shell_call_output" ? textOf(item.id) : "");
}

function answers(later: Item, call: Item, { output }: (typeof pairs)[number]): boolean {
  return later.type === output && idOf(later) === idOf(call);
}

function orphan({ body }: RuleInput): Found | null {
  const items = inputItemsOf(body);
  return firstOf(items, (item, at) => {
    const pair = pairs.find(({ output }) => output === item.type);
    if (pair === undefined || (idOf(item) === "" && item.type === "tool_search_output")) return null;
    const isCalled = items.slice(0, at).some((call) => call.type === pair.call && answers(item, call, pair));
    return isCalled
      ? null
      : { message: `No tool call found for ${pair.name} output with call_id ${idOf(item)}.`, param: `input[${at}]` };
  });
}
