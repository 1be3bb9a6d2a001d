import { isRecord } from "../../kernel/canonical.ts";
import type { Brain, BrainReply, BrainRequest } from "./brain.ts";
import { listOf, recordOf, textOf } from "./value.ts";

/** Serves the replies in order, whatever is asked; then one final text for ever. */
export function scriptedBrain(replies: readonly BrainReply[]): Brain {
  let next = 0;
  return () => {
    const reply = replies[next] ?? { text: "The script is at its end." };
    next += 1;
    return reply;
  };
}

/**
 * Drives any client through a tool loop: while the newest user turn has fewer than `rounds` tool results, call the
 * client's own read or shell tool with arguments filled from its schema; else a final text.
 */
export function echoToolsBrain(
  options: {
    readonly rounds?: number;
    readonly path?: string;
    readonly command?: string;
    /** What it thinks before every reply, where the request lets the model think. */
    readonly reasoning?: string;
  } = {},
): Brain {
  const { rounds = 2, path = "hello.txt", command = "cat hello.txt" } = options;
  const thought = options.reasoning === undefined ? {} : { reasoning: options.reasoning };
  return (request) => {
    const results = resultsOfTurn(request);
    // A client that compacts by itself starts its count anew; the bound ends what would be a loop (STACK 5).
    const isOver = results.length >= rounds || request.served >= servedMax;
    const tool = isOver ? undefined : pickTool(request.tools, results.length);
    if (tool === undefined)
      return {
        ...thought,
        text: `Done after ${results.length} tool results: ${(results.at(-1) ?? "none").slice(0, 80)}`,
      };
    return {
      ...thought,
      text: `Step ${results.length + 1}.`,
      calls: [{ tool: tool.name, input: inputFor(tool, { path, command }) }],
    };
  };
}

const servedMax = 2_000;

function resultsOfTurn(request: BrainRequest): readonly string[] {
  const parts = request.messages.flatMap((message) =>
    message.role === "system" ? [] : [...message.parts.map((part) => ({ role: message.role, part }))],
  );
  const lastTyped = parts.findLastIndex(
    ({ role, part }, at) => role === "user" && part.type === "text" && !isAfterResult(parts, at),
  );
  return parts.slice(lastTyped + 1).flatMap(({ part }) => (part.type === "result" ? [part.text] : []));
}

/** Text that stands in the same user message as results is a reminder, not a new turn. */
function isAfterResult(
  parts: readonly { readonly role: string; readonly part: { readonly type: string } }[],
  at: number,
): boolean {
  for (let before = at - 1; before >= 0 && parts[before]?.role === "user"; before -= 1)
    if (parts[before]?.part.type === "result") return true;
  return false;
}

const wanted: readonly (readonly RegExp[])[] = [
  [/^read$/i, /^(read_?file|view(?!_image)|fs_read|cat)/i, /read/i],
  [/^(bash|shell)$/i, /(shell|exec|command|terminal|bash)/i],
];

function pickTool(tools: BrainRequest["tools"], round: number): BrainRequest["tools"][number] | undefined {
  const order = round % 2 === 0 ? wanted.flat() : [...wanted].reverse().flat();
  for (const pattern of order) {
    const found = tools.find((tool) => pattern.test(tool.name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function inputFor(tool: BrainRequest["tools"][number], values: { readonly path: string; readonly command: string }) {
  return tool.schema === null ? plainCommand(tool, values.command) : fill(tool.schema, values);
}

/** A tool without a schema takes plain text: a command, or code that runs one where it says so (codex). */
export function plainCommand({ description }: { readonly description: string }, command: string): string {
  const isCode = /javascript/i.test(description);
  return isCode ? `text(await tools.exec_command(${JSON.stringify({ cmd: command })}))` : command;
}

export function fill(
  schema: unknown,
  values: { readonly path: string; readonly command: string },
): Record<string, unknown> {
  const properties = recordOf(recordOf(schema).properties);
  const required = listOf(recordOf(schema).required).map(textOf);
  const names = Object.keys(properties).filter((name) => required.includes(name));
  return Object.fromEntries(names.map((name) => [name, valueFor(name, properties[name], values)]));
}

function valueFor(name: string, schema: unknown, values: { readonly path: string; readonly command: string }): unknown {
  const { type, enum: choices, items } = recordOf(schema);
  if (Array.isArray(choices)) return choices[0];
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === "array") return [isRecord(items) ? valueFor(name, items, values) : values.path];
  if (kind === "number" || kind === "integer") return 1;
  if (kind === "boolean") return false;
  if (kind === "object") return fill(schema, values);
  if (/path|file/i.test(name)) return values.path;
  return /command|cmd|\bscript/i.test(name) ? values.command : "x";
}
