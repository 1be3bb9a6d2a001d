import { cutBefore } from "../digest/text.ts";
import type { Text } from "../log/block.ts";
import type { Entry, EntryOf, EntryType } from "../log/entry.ts";
import type { ClearedByProvider } from "../log/provider-clearing.ts";
import type { SummaryScope } from "../log/summary.ts";

/** One line of a log for people: number, kind, and what matters of it. */
export function entryLine(entry: Entry): string {
  return `${String(entry.seq).padStart(5)}  ${entry.type.padEnd(18)}  ${detailOf(entry)}`.trimEnd();
}

function detailOf<T extends EntryType>(entry: EntryOf<T>): string {
  // Correlated union: the row of `entry.type` takes exactly this entry.
  const describe = details[entry.type as T] as (entry: EntryOf<T>) => string;
  return describe(entry);
}

const details: { readonly [T in EntryType]: (entry: EntryOf<T>) => string } = {
  "session-started": ({ session, cwd }) => `${session} in ${cwd}`,
  "session-forked": ({ from, fromSeq }) => `from ${from} at ${fromSeq}`,
  "project-started": ({ project }) => project,
  "model-chosen": ({ model }) => `${model.model} (${model.wire})`,
  "mode-chosen": ({ mode }) => mode,
  "verbosity-chosen": ({ verbosity }) => verbosity,
  "log-redacted": ({ seqs, blobs }) => `entries ${seqs.join(", ")}, ${blobs.length} texts removed`,
  "message-added": ({ text }) => shown(text),
  "context-observed": ({ key, text }) => `${key}: ${shown(text)}`,
  "reminder-added": ({ source, text }) => `${source}: ${shown(text)}`,
  "file-changed": ({ path, hash }) => `${path} ${hash === null ? "is gone" : "changed"}`,
  "fact-proposed": ({ fact, text, by }) => `${fact} by the ${by}: ${shown(text)}`,
  "fact-pinned": ({ fact, text, scope }) => `${fact}${scope === "project" ? " (project)" : ""}: ${shown(text)}`,
  "fact-refused": ({ fact }) => fact,
  "fact-retired": ({ fact }) => fact,
  "facts-shown": ({ text }) => shown(text),
  "text-attached": ({ attachment: { kind, source, text } }) => `${kind} ${source}: ${shown(text)}`,
  "attachments-used": ({ names }) => names.map(({ kind, name }) => `${kind} ${name}`).join(", "),
  "tools-revealed": ({ tools }) => tools.map(({ name }) => name).join(", "),
  "server-measured": ({ server, tools }) =>
    oneLine(`${server}: ${tools.map(({ tool, calls }) => `${tool} ${calls}`).join(", ")}`).slice(0, charsMax),
  "tool-approved": ({ server, tool, definition }) =>
    oneLine(`${server}: ${tool} (${definition.slice(0, 12)})`).slice(0, 2 * charsMax),
  "lane-started": ({ lane, title }) => `${lane}: ${title}`,
  "lane-finished": ({ lane, ending, detail }) => `${lane}: ${ending}${detail === "" ? "" : `, ${detail}`}`,
  "attachment-ended": ({ kind, name, why }) => `${kind} ${name}: ${why}`,
  "epoch-opened": ({ reason, detail, providerClearing: asked }) =>
    `${reason}${detail === "" ? "" : `: ${detail}`}${asked === undefined ? "" : `; the provider clears from ${asked.triggerTokens} tokens on`}`,
  "compaction-asked": ({ scope, focus }) => `${scopeWords(scope)}${focus === "" ? "" : `: ${oneLine(focus)}`}`,
  "compaction-refused": ({ detail }) => oneLine(detail),
  "summary-asked": ({ as, scope, why }) => `${as}, ${scopeWords(scope)}: ${oneLine(why)}`,
  "summary-ended": ({ outcome, detail, text, native, cleared }) =>
    `${outcome}${detail === "" ? "" : ` (${oneLine(detail)})`}${clearedWords(cleared)}: ${text === "" && native !== undefined ? "(encrypted)" : shown(text)}`,
  "summary-made": ({ upto, text }) => `up to ${upto}: ${shown(text)}`,
  "form-fixed": ({ callId, handle, again }) =>
    `${callId}, recall ${handle}${again === undefined ? "" : `, shown ${again.times} times before, not again`}`,
  "limit-learned": ({ model, inputTokensMax, basis }) =>
    `${model}: ${inputTokensMax} tokens${basis === "guess" ? ", a guess: no number was named" : ""}`,
  "model-described": ({ model, inputTokensMax, from }) => `${model}: ${inputTokensMax ?? "?"} tokens, ${from}`,
  "estimate-corrected": ({ model }) => model,
  "request-sent": ({ segments, attempt, predicted }) =>
    `${segments} segments, about ${predicted.promptTokens} tokens${attempt > 1 ? `, attempt ${attempt}` : ""}`,
  "response-received": (entry) => responseLine(entry),
  "request-failed": ({ failure }) => `${failure.class}: ${oneLine(failure.message)}`,
  "todos-written": ({ todos }) => `${todos.filter(({ status }) => status === "done").length} of ${todos.length} done`,
  "background-started": ({ task, command }) => `${task}: ${oneLine(command)}`,
  "background-ended": ({ task, ending, exitCode, handle }) =>
    `${task} ${ending}${exitCode === null ? "" : ` (exit ${exitCode})`} [${handle}]`,
  "permission-asked": ({ why }) => oneLine(why),
  "permission-decided": ({ allowed, by, why }) => `${allowed ? "allowed" : "refused"} by ${by}: ${oneLine(why)}`,
  "tool-started": ({ tool }) => tool,
  "tool-returned": ({ tool, ending, exitCode, handle, output }) =>
    `${tool} ${ending}${exitCode === null ? "" : ` (exit ${exitCode})`} [${handle}] ${shown(output)}`,
  "placeholder-started": ({ command, what, allowed, why }) =>
    `${command}: ${oneLine(what).slice(0, charsMax)}${allowed ? "" : `: refused: ${oneLine(why)}`}`,
  "placeholder-ended": ({ run, ending, exitCode, handle }) =>
    `${run} ${ending}${exitCode === null ? "" : ` (exit ${exitCode})`} [${handle}]`,
  "hook-started": ({ event, command }) => `${event}: ${oneLine(command).slice(0, charsMax)}`,
  "hook-ended": ({ event, outcome, exitCode, detail, stops }) =>
    `${event} ${outcome}${exitCode === null ? "" : ` (exit ${exitCode})`}${detail === "" ? "" : `: ${shown(detail)}`}` +
    (stops === undefined ? "" : `; ends the turn: ${shown(stops)}`),
  "input-rewritten": ({ callId, by, input }) => `${callId} by ${oneLine(by).slice(0, charsMax)}: ${shown(input)}`,
  "turn-ended": ({ reason, detail }) => `${reason}${detail === "" ? "" : `: ${oneLine(detail)}`}`,
  "turn-resumed": ({ after }) => `after ${after}`,
  interrupted: ({ by }) => by,
  "outcome-unknown": (entry) => (entry.what === "tool" ? `call ${entry.callId}` : `request ${entry.request}`),
  "line-unreadable": ({ line, bytes, why }) => `line ${line}, ${bytes} bytes: ${why}`,
};

function responseLine({ blocks, stop, usage, cleared }: EntryOf<"response-received">): string {
  const parts = blocks.map((block) => {
    if (block.type === "text") return shown(block.text);
    return block.type === "tool-call" ? `${block.tool} ${shown(block.input)}` : block.type;
  });
  const tokens = usage === null ? "usage unknown" : `${usage.cacheRead} read, ${usage.output} out`;
  return `${stop}, ${tokens}${clearedWords(cleared)}: ${parts.join(" | ")}`;
}

function clearedWords(cleared: ClearedByProvider | undefined): string {
  return cleared === undefined ? "" : `, the provider cleared ${cleared.results} results, ${cleared.tokens} tokens`;
}

function scopeWords(scope: SummaryScope): string {
  return scope.kind === "all" ? "all" : `${scope.kind} ${scope.piece}`;
}

const charsMax = 100;

function shown(text: Text): string {
  if (typeof text !== "string") return `(${text.chars} characters, ${text.blob.slice(0, 12)})`;
  // Of a long text its beginning is enough, unless that is mostly blank.
  const beginning = oneLine(text.slice(0, 4 * charsMax));
  const line = beginning.length > charsMax ? beginning : oneLine(text);
  return line.length > charsMax ? `${line.slice(0, cutBefore(line, charsMax))}…` : line;
}

/** Control characters do not reach a terminal: what a file or server says cannot move the cursor. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}
