import type { BrainReply, BrainRequest } from "./brain.ts";
import { fill, plainCommand } from "./brains.ts";
import { recordOf, textOf } from "./value.ts";

type Tool = BrainRequest["tools"][number];
type Call = NonNullable<BrainReply["calls"]>[number];

/** Kinds of tools by the names that clients give them; what is in no row is only found by its own name. */
const kinds: Readonly<Record<string, RegExp>> = {
  read: /^(read|read_?file|view|view_file|fs_read|cat|open_file)$/i,
  shell: /^(bash|shell|exec|exec_command|execute_command|run_shell_command|run_terminal_cmd|local_shell|terminal)$/i,
  write: /^(write|write_?file|write_to_file|create_?file|fs_write)$/i,
  edit: /^(edit|edit_?file|replace|str_replace|replace_in_file|search_replace)$/i,
  search: /^(grep|search|grep_search|search_?files?|search_file_content|ripgrep)$/i,
  list: /^(glob|find|find_files|file_search|list_files)$/i,
  folder: /^(ls|list|list_dir|list_directory)$/i,
  todo: /^(todo_?write|update_plan|write_todos)$/i,
  fetch: /^(web_?fetch|fetch|fetch_url)$/i,
};

/** Members of inputs that mean the same. */
const members: readonly RegExp[] = [
  /^(file_?path|path|absolute_?path|file_?name|file|target_file|dir_path|dir|directory)$/i,
  /^(command|cmd|script)$/i,
  /^(content|contents|file_text)$/i,
  /^(old_?string|old_?text|old_?str|old)$/i,
  /^(new_?string|new_?text|new_?str|new)$/i,
  /^(pattern|query|regex)$/i,
  /^(url|uri)$/i,
];

/** The recorded call as this client would be called; null where it has nothing of the kind. */
export function translateCall(call: Call, tools: readonly Tool[]): Call | null {
  const same = tools.find(({ name }) => name === call.tool);
  if (same !== undefined)
    return { tool: call.tool, input: takes(same, call.input) ? call.input : inputFor(same, call.input) };
  const kind = Object.keys(kinds).find((name) => kinds[name]?.test(call.tool));
  if (kind === undefined) return null;
  const own = (name: string) => tools.find((tool) => kinds[name]?.test(tool.name));
  const found = own(kind);
  if (found !== undefined) return { tool: found.name, input: inputFor(found, call.input) };
  const shell = own("shell");
  const command = commandFor(kind, recordOf(call.input));
  return shell === undefined || command === null ? null : { tool: shell.name, input: inputFor(shell, { command }) };
}

/** Some clients have no tools for files: their models do it by commands. */
function commandFor(kind: string, input: Readonly<Record<string, unknown>>): string | null {
  const path = quoted(memberLike("path", input));
  const content = quoted(memberLike("content", input));
  if (kind === "read" && path !== null) return `cat ${path}`;
  return kind === "write" && path !== null && content !== null ? `printf %s ${content} > ${path}` : null;
}

function quoted(text: unknown): string | null {
  return typeof text === "string" ? `'${text.replaceAll("'", "'\\''")}'` : null;
}

/** Two clients may give one name to tools whose members are called otherwise. */
function takes({ schema }: Tool, input: unknown): boolean {
  const known = Object.keys(recordOf(recordOf(schema).properties));
  return known.length === 0 || Object.keys(recordOf(input)).every((name) => known.includes(name));
}

function inputFor(tool: Tool, input: unknown): unknown {
  const given = recordOf(input);
  const command = textOf(memberLike("command", given));
  if (tool.schema === null) return plainCommand(tool, command);
  const path = textOf(memberLike("path", given));
  const known = Object.keys(recordOf(recordOf(tool.schema).properties)).flatMap((name) => {
    const value = memberLike(name, given);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...fill(tool.schema, { path, command }), ...Object.fromEntries(known) };
}

function memberLike(name: string, given: Readonly<Record<string, unknown>>): unknown {
  if (given[name] !== undefined) return given[name];
  const like = members.find((pattern) => pattern.test(name));
  const found = like === undefined ? undefined : Object.keys(given).find((one) => like.test(one));
  return found === undefined ? undefined : given[found];
}
