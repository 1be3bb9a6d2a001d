import { openPointing, type ShownResult } from "../digest/carriers.ts";
import { firstForm } from "../digest/first-form.ts";
import type { FirstForm, FormInput } from "../digest/form.ts";
import { isRecord } from "../kernel/canonical.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Handle } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import { exitCodeIn } from "../reduction/clear-outcome.ts";
import { namesSaid, saidMax } from "../reduction/names-said.ts";
import { commandIn } from "../reduction/use.ts";
import { isShell, workOf } from "../reduction/use-work.ts";
import type { Block } from "./recording.ts";
import type { Terms } from "./strategy.ts";
import { type Line, lineOf, pointedLine } from "./varve-lines.ts";

/** How the blocks of one session enter a prompt, each asked for once and in order. */
export function openForms(
  terms: Terms,
  { forms, pointers }: Readonly<Record<"forms" | "pointers", "on" | "off">>,
): (block: Block, shown: readonly ShownResult[]) => Line {
  const point = openPointing();
  const inputs = new Map<string | null, string>();
  const originals = new Map<string | null, Handle>();
  let said: readonly string[] = [];
  return (block, shown) => {
    const { kind, callId, tool, text } = block;
    if (kind === "tool-call" || (kind === "text" && block.role === "user")) said = [text, ...said].slice(0, saidMax);
    if (kind === "tool-call") inputs.set(callId, text);
    if (kind === "tool-result") originals.set(callId, handleOf(hashOf(text)));
    if (kind === "recalled") return lineOf(block, text, terms, originals.get(callId));
    if (forms === "off" || kind !== "tool-result") return lineOf(block, text, terms);
    const call = inputs.get(callId) ?? "";
    const form = shownFirst(text, tool ?? "", call, namesSaid(said));
    const line = lineOf(block, form.text, terms);
    if (pointers === "off") return line;
    const found = point({ ...formInput(text, tool ?? "", call), tool: tool ?? "", call }, form, shown);
    return found === null ? line : pointedLine(line, { text: found.text, pointers: found }, terms);
  };
}

/** A result of somebody else's tool as the product's own tool for the same work would show it. `call` is the call's input. */
export function shownFirst(text: string, tool: string, call: string, named: readonly string[] = []): FirstForm {
  const plain = formInput(text, tool, call);
  const input = plain.form === "range" ? plain : { ...plain, call, named };
  const shown = firstForm(input);
  const exitCode = exitCodeIn(text);
  // A result that enters whole says its exit code in its own words; what is cut may lose them.
  return shown.whole || exitCode === null ? shown : firstForm({ ...input, exitCode });
}

function formInput(text: string, tool: string, call: string): FormInput {
  const ours = ourTool(tool, call);
  const form = ours === "Read" ? "range" : "output";
  return { tool: ours, text, exitCode: null, form, handle: handleOf(hashOf(text)) };
}

type OurTool = "Read" | "Grep" | "Bash" | "other";

/** What the product's own tool for the same work is called. */
function ourTool(tool: string, input: string): OurTool {
  const parsed = parseJson(input);
  const command = parsed.type === "bad" ? input : isRecord(parsed.value) ? commandIn(parsed.value) : "";
  const work = workOf(tool, command);
  // What a shell reads is a command's output to our Bash as well.
  if (isShell(tool)) return "Bash";
  if (work === "read") return "Read";
  return work === "search" ? "Grep" : "other";
}
