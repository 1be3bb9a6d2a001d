import type { Model } from "../../src/ports/model.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";

export type Gate = {
  readonly reached: Promise<void>;
  readonly arrive: () => void;
  readonly opened: Promise<void>;
  readonly open: () => void;
};

/** A place where something waits until a test lets it go on. */
export function gate(): Gate {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return { reached: reached.promise, arrive: reached.resolve, opened: opened.promise, open: opened.resolve };
}

/** Answers from a list; the answers whose number has a gate wait at it, after they were asked for. */
export function gatedModel(
  replies: readonly ScriptedReply[],
  gates: Readonly<Record<number, Gate>>,
): Model & { readonly bodies: readonly string[] } {
  const script = scriptedModel(replies);
  let asked = 0;
  return {
    bodies: script.bodies,
    async *stream(request, signal) {
      const at = gates[asked++];
      at?.arrive();
      if (at !== undefined) await Promise.race([at.opened, aborted(signal)]);
      yield* script.stream(request, signal);
    },
  };
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Lets all that can happen happen. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 8; turns++) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 0));
  for (let turns = 0; turns < 8; turns++) await new Promise((resolve) => setImmediate(resolve));
}

export function typesOf(entries: readonly { readonly type: string }[]): readonly string[] {
  return entries.map(({ type }) => type).filter((type) => type !== "estimate-corrected");
}

/** What came behind the newest entry of a type. */
export function behind(entries: readonly { readonly type: string }[], type: string): readonly string[] {
  const types = typesOf(entries);
  return types.slice(types.lastIndexOf(type) + 1);
}
