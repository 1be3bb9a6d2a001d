import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import type { State } from "../log/state.ts";
import { type Texts, textOf } from "../prompt/render.ts";
import { noItems, type StoredItems } from "../reduction/summary-items.ts";

/** What the store shows again, whatever a summary says of it (CASES C-011). */
export function itemsOf({ todos, background, plan }: State, texts: Texts): StoredItems {
  const tasks = Object.entries(background).map(([task, { command }]) => ({ task, command }));
  return { ...noItems, todos, background: tasks, plan: plan === null ? null : planText(textOf(plan, texts)) };
}

/** A plan is kept as the input of the call that showed it. */
function planText(input: string): string {
  const parsed = parseJson(input);
  const plan = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.plan : null;
  return typeof plan === "string" ? plan : input;
}
