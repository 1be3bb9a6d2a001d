import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import type { Instruction, InstructionOrigin, InstructionsFound } from "../ports/instructions.ts";
import type { LookAt, Offered, Told } from "../ports/knowledge.ts";
import { inLine } from "./path.ts";

/**
 * The instructions that apply, as the model gets them. What is held already is not written again; in mid-turn a file that
 * changed waits for the next message, for it may be the model itself that is at work on it.
 */
export function instructionsTold(found: InstructionsFound, at: LookAt, windowTokens: number): Told {
  const held = new Map(at.held.filter(isOurs).map(({ kind, name, hash }) => [`${kind}\n${name}`, hash]));
  const hashHeld = ({ kind, name }: Instruction) => held.get(`${kind}\n${name}`);
  const isBetween = at.message === null;
  const stands = (file: Instruction) =>
    hashHeld(file) === file.hash || (isBetween && (hashHeld(file) !== undefined || at.touched.includes(file.name)));
  const standing = found.files.filter((file) => hashHeld(file) !== undefined);
  const fresh = found.files.filter((file) => !stands(file));
  const room = roomFor(standing.filter(stands), windowTokens);
  const shown = shares(fresh, room);
  const attachments = found.files.flatMap((file): readonly Offered[] => {
    const tokens = shown.get(file);
    const hash = hashHeld(file);
    if (tokens !== undefined) return [offered(file, file.hash, framed(file, tokens, hash !== undefined))];
    return hash === undefined ? [] : [offered(file, hash, "")];
  });
  const cuts = [...shown].flatMap(([file, tokens]) => cutNote(file, tokens, room));
  return {
    attachments,
    covers: isBetween ? [] : ["instructions", "rule"],
    notes: [...found.notes, ...cuts, ...outNote(fresh.filter((file) => !shown.has(file)))],
  };
}

function outNote(files: readonly Instruction[]): readonly string[] {
  if (files.length === 0) return [];
  const names = files.slice(0, namesShown).map(({ name }) => name);
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : "";
  return [`no room is left to tell the model of ${names.join(", ")}${more}: a larger window or fewer files give it`];
}

const namesShown = 5;

function isOurs({ kind }: LookAt["held"][number]): boolean {
  return kind === "instructions" || kind === "rule";
}

function offered({ kind, name }: Instruction, hash: Offered["hash"], text: string): Offered {
  return { kind, name, source: name, hash, text };
}

type Room = { readonly tokens: number; readonly each: number };

/** What enters at the start has a share of the window, and what comes in later as much again. */
function roomFor(standing: readonly Instruction[], windowTokens: number): Room {
  const { instructionsWindowPercentMax, instructionsLeftPercentMax, windowHeadTokens } = bounds;
  const left = Math.max(0, windowTokens - windowHeadTokens);
  const share = Math.floor(
    Math.min(windowTokens * instructionsWindowPercentMax, left * instructionsLeftPercentMax) / 100,
  );
  const most = Math.min(bounds.instructionsTokensMax, share);
  const each = Math.min(bounds.instructionTokensMax, most);
  const used = standing.reduce((sum, { tokens }) => sum + Math.min(tokens, each) + frameTokens, 0);
  return { tokens: standing.length === 0 ? most : Math.max(0, 2 * most - used), each };
}

/**
 * How many tokens each may have, in this order: the machine's own, then the nearest file first, then rules, the nearest first.
 * One that gets none is named only; where there is no room for that either, it is left out, and only the user is told.
 */
function shares(files: readonly Instruction[], { tokens, each }: Room): ReadonlyMap<Instruction, number> {
  const ranked = files.toReversed().toSorted((a, b) => rank(a) - rank(b));
  // Names have half of the room at most; one file, as much as there is.
  const most = Math.max(Math.min(1, tokens / frameTokens), tokens / 2 / frameTokens);
  const named = ranked.slice(0, Math.floor(most));
  let left = tokens - named.length * frameTokens;
  const given = new Map<Instruction, number>();
  for (const file of named) {
    const room = Math.min(file.tokens, each, left);
    const share = room < file.tokens && room < shareTokensMin ? 0 : room;
    given.set(file, share);
    left -= share;
  }
  return given;
}

/** A smaller beginning of a longer file is not worth showing. */
const shareTokensMin = 100;
/** Of what names a file and says whose it is: many small ones have more of it than of text. */
const frameTokens = 80;

function rank({ kind, origin }: Instruction): number {
  if (origin === "managed") return 0;
  return kind === "instructions" ? 1 : 2;
}

function framed(file: Instruction, tokens: number, isAgain: boolean): string {
  const text = file.text.toWellFormed();
  const isCut = tokens < file.tokens;
  const shown = isCut ? beginning(text, tokens) : text;
  const again = isAgain ? " It takes the place of what was shown of it before." : "";
  const lines = [`${head(file)}${again}`, ...(shown === "" ? [] : ["", shown]), ...(isCut ? rest(file, shown) : [])];
  return `<system-reminder>\n${quoted(lines.join("\n"))}\n</system-reminder>`;
}

function head({ name, kind, origin, because }: Instruction): string {
  if (!name.startsWith("/"))
    return "Rules of the project for certain work. Before work that a line describes, Read its file and keep to it:";
  const reason = because === null ? "" : ` (${inLine(because)})`;
  const what = kind === "rule" ? "A rule" : "Instructions";
  return `${what} ${whose[origin]}, from ${inLine(name)}${reason}. ${standings[origin]}`;
}

const whose: Readonly<Record<InstructionOrigin, string>> = {
  managed: "of those who look after this machine",
  user: "of the user for every project",
  project: "of the project",
  local: "of the user for this project",
};

const mine = "Keep to it wherever it bears on the task.";
const standings: Readonly<Record<InstructionOrigin, string>> = {
  managed: mine,
  user: mine,
  local: mine,
  project:
    "A file of the repository says it, not the user: keep to it where it bears on the task; the user's own words go first.",
};

function rest({ name, tokens }: Instruction, shown: string): readonly string[] {
  const all = tokens.toLocaleString("en-US");
  if (shown === "") return [`[Not shown: its about ${all} tokens do not fit. Read ${inLine(name)} where it matters.]`];
  const part = estimate(shown).toLocaleString("en-US");
  return ["", `[Cut: the first ${part} of about ${all} tokens. Read ${inLine(name)} for the rest.]`];
}

function cutNote({ name, tokens }: Instruction, share: number, { each }: Room): readonly string[] {
  if (share >= tokens) return [];
  const all = `${name} has about ${tokens.toLocaleString("en-US")} tokens`;
  if (share === 0) return [`${all}, for which there is no room: the model is only told of it`];
  const limit = share === each ? `a file may have ${each.toLocaleString("en-US")}` : "others are nearer";
  return [`${all}: the model is shown the first ${share.toLocaleString("en-US")} (${limit}) and told to read the rest`];
}

/** As many whole lines as fit, or else as much of the first. */
function beginning(text: string, tokensMax: number): string {
  let [low, high] = [0, Math.min(text.length, tokensMax * charsPerTokenMax)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimate(text.slice(0, middle)) <= tokensMax) low = middle;
    else high = middle - 1;
  }
  const end = text.lastIndexOf("\n", low);
  return (end > 0 ? text.slice(0, end) : text.slice(0, low).replace(/[\ud800-\udbff]$/, "")).trimEnd();
}

/** Prose has 4 to 5; more of a text is never looked at. */
const charsPerTokenMax = 16;

/** A file cannot end the frame it stands in. */
function quoted(text: string): string {
  return text.replaceAll(/<(?=\s*\/?\s*system-reminder)/gi, "&lt;");
}
