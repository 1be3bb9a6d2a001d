import { estimate } from "../budget/count.ts";
import type { Handle } from "../kernel/ids.ts";
import type { Todo } from "../log/entry.ts";
import { cutToTokens, short } from "./fold-cut.ts";
import { foldTags, withoutTags } from "./fold-tags.ts";

/** What the session has stored and shows again after a compaction, whatever a summary says of it (CASES C-011). */
export type StoredItems = {
  readonly todos: readonly Todo[];
  readonly plan: string | null;
  readonly background: readonly { readonly task: string; readonly command: string }[];
  readonly skills: readonly string[];
  readonly tools: readonly string[];
  readonly lanes: readonly string[];
};

export const noItems: StoredItems = { todos: [], plan: null, background: [], skills: [], tools: [], lanes: [] };

/** What is read off the work that goes: it must outlive any number of compactions. */
export type WorkItems = Readonly<Record<WorkKind, Kept>>;
/** `done`: commands and other work with an effect, one line each. Files are paths. */
export type WorkKind = "messages" | "changed" | "read" | "done";

/** Newest last. `left`: how many of them stand in the text behind these handles only. */
export type Kept = { readonly entries: readonly string[]; readonly left: Left };
export type Left = { readonly count: number; readonly handles: readonly string[] };

export const nothingLeft: Left = { count: 0, handles: [] };
const nothingKept: Kept = { entries: [], left: nothingLeft };
export const noWork: WorkItems = { messages: nothingKept, changed: nothingKept, read: nothingKept, done: nothingKept };

/** Tokens for each kind. */
export type Rooms = Readonly<Record<WorkKind | "plan", number>>;

/** Shares of what the whole is to come down to, so that a small window keeps room for work. */
export function roomsFor(targetTokens: number): Rooms {
  const room = (share: number, tokensMax: number) => Math.max(0, Math.min(tokensMax, Math.floor(targetTokens * share)));
  return {
    messages: room(0.2, 4_000),
    changed: room(0.1, 1_000),
    read: room(0.1, 1_000),
    done: room(0.15, 2_000),
    plan: room(0.1, 2_000),
  };
}

/** The sections' titles as they stand in a block; how it is read again (`fold-block.ts`). */
export const workTitles: Readonly<Record<WorkKind, string>> = {
  messages: "Messages of the user, word for word, oldest first:",
  changed: "Files changed, newest last:",
  read: "Files read and not changed, newest last:",
  done: "Commands and other work that was run, with the outcome, newest last:",
};

/** As much as the rooms hold; the handle leads to all of it. */
export function boundedWork(work: WorkItems, rooms: Rooms, handle: Handle): WorkItems {
  const { messages, changed, read, done } = work;
  return {
    messages: boundedMessages(messages, rooms.messages, handle),
    changed: bounded(changed, rooms.changed, handle),
    read: bounded(read, rooms.read, handle),
    done: bounded(done, rooms.done, handle),
  };
}

function bounded({ entries, left }: Kept, room: number, handle: Handle): Kept {
  let tokens = 0;
  const shown = newest(entries, (entry) => {
    tokens += estimate(entry) + 1;
    return tokens <= room;
  });
  return { entries: shown, left: leftOf(left, entries.length - shown.length, handle) };
}

/** The oldest says what the session is for; then the newest ones. None takes more than half of the room. */
function boundedMessages({ entries, left }: Kept, room: number, handle: Handle): Kept {
  const [first, ...others] = entries;
  if (first === undefined) return { entries, left };
  // Mere beginnings would say less than the words that stand for the rest.
  if (room < messageRoomMin) return { entries: [], left: leftOf(left, entries.length, handle) };
  const cut = (message: string) => cutToTokens(message, Math.floor(room / 2), handle);
  const oldest = cut(first);
  let tokens = estimate(oldest) + frameTokens;
  const shown = newest(others, (message) => {
    tokens += estimate(cut(message)) + frameTokens;
    return tokens <= room;
  });
  return {
    entries: [oldest, ...shown.map(cut)],
    left: leftOf(left, others.length - shown.length, handle),
  };
}

const frameTokens = 10;
const messageRoomMin = 80;

function newest<T>(entries: readonly T[], fits: (entry: T) => boolean): readonly T[] {
  const misfit = entries.findLastIndex((entry) => !fits(entry));
  return entries.slice(misfit + 1);
}

/** What older handles lead to stands under the new one as well, with those handles. */
function leftOf(left: Left, count: number, handle: Handle): Left {
  const all = left.count + count;
  return all === 0 ? left : { count: all, handles: [handle] };
}

/** The stored items as lines. `handle`: of the text that has the plan whole; null: this is that text. */
export function storedLines(items: StoredItems, planRoom: number, handle: Handle | null): readonly string[] {
  const { todos, plan, background, skills, tools, lanes } = items;
  const shownPlan =
    plan === null || handle === null ? plan : cutToTokens(plan, Math.max(planRoom, planTokensMin), handle);
  return [
    ...section(
      "Todo list as it is stored:",
      todos.map(({ text, status }) => `[${status}] ${text}`),
    ),
    ...(shownPlan === null
      ? []
      : ["Plan that the user accepted:", foldTags.plan.open, withoutTags(shownPlan), foldTags.plan.close]),
    ...section(
      "Running in the background:",
      background.map(({ task, command }) => `${task}: ${command}`),
    ),
    ...section("Agents at work:", lanes),
    ...section("Tools revealed by search, still declared:", tools),
    ...section("Skills in use:", skills),
  ];
}

const planTokensMin = 100;

function section(title: string, entries: readonly string[]): readonly string[] {
  const more = entries.length - entriesMax;
  const lines = entries.slice(0, entriesMax).map((entry) => `- ${withoutTags(short(entry, entryCharsMax))}`);
  if (lines.length === 0) return [];
  return [title, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])];
}

/** A todo list holds as many (`bounds.todosMax`). */
const entriesMax = 100;
const entryCharsMax = 300;
