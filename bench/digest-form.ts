import { firstForm } from "../src/digest/first-form.ts";
import { charsOf } from "../src/digest/text.ts";
import { handleOf, hashOf } from "../src/kernel/hash.ts";
import type { Handle } from "../src/kernel/ids.ts";
import type { Output } from "./digest-data.ts";

type Formed = Pick<Output, "tool" | "text" | "exitCode"> & { readonly call?: string; readonly handle?: Handle };

/** The output as the product would show it: its tools decide by what they do, whatever another agent calls them. */
export function formOf({ tool, text, exitCode, call, handle }: Formed): string {
  const ours = ourTools.find(({ is }) => is.test(tool));
  return firstForm({
    tool: ours?.tool ?? tool,
    text,
    exitCode,
    form: ours?.form ?? "output",
    handle: handle ?? handleOf(hashOf(text)),
    ...(call === undefined ? {} : { call }),
  }).text;
}

const ourTools: readonly { readonly is: RegExp; readonly tool: string; readonly form: "range" | "output" }[] = [
  { is: /^(?:read|read_file|view|view_file|cat|open_file|notebookread)$/i, tool: "Read", form: "range" },
  {
    is: /^(?:edit|multiedit|write|write_file|edit_file|apply_patch|str_replace|replace)$/i,
    tool: "Edit",
    form: "output",
  },
  { is: /^(?:grep|search|rg|grep_search|search_file_content)$/i, tool: "Grep", form: "output" },
  { is: /^(?:glob|ls|find|list|list_dir|list_directory)$/i, tool: "Glob", form: "output" },
];

/** Beginning and end, half of the characters each, cut where they end: what a plain cut of the same size would show. */
export function headTailOf(text: string, chars: number): string {
  if (chars >= text.length) return text;
  const half = Math.floor(chars / 2);
  const head = text.slice(0, half);
  const tail = text.slice(text.length - half);
  const from = lineOf(text, half);
  const to = lineOf(text, text.length - half);
  const size = charsOf(text);
  const partOf = (line: number) => `[… line ${line} cut at 0 of ${size} characters, 0 left out …]`;
  if (from === to) return `${head}${partOf(from)}${tail}`;
  const gap = to - from > 1 ? `\n[… lines ${from + 1}-${to - 1} left out: …]` : "";
  return `${head}${partOf(from)}${gap}\n${partOf(to)}${tail}`;
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
