import { trim } from "./memory.ts";
import { itemsOf, member, readTree, type Tree, writeTree } from "./tree.ts";
import { listOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** A cached content: the start of a prompt, kept under a name until it expires (PROTOCOLS C.1). */
export type StoredPrompt = {
  /** `cachedContents/ID`. */
  readonly name: string;
  readonly model: string;
  readonly displayName: string;
  /** As it was created; its contents, system instruction and tools are the prompt. */
  readonly bodyText: string;
  readonly body: Body;
  readonly tokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expireAt: number;
};

export type CachedContents = {
  put(stored: StoredPrompt): void;
  /** Null where there is none of that name, or none any more. */
  find(name: unknown, now: number): StoredPrompt | null;
  drop(name: string): void;
  all(now: number): readonly StoredPrompt[];
  clear(): void;
};

const keptMax = 1_000;

export function createCachedContents(): CachedContents {
  const kept = new Map<string, StoredPrompt>();
  const isAlive = (stored: StoredPrompt, now: number) => now < stored.expireAt;
  return {
    put(stored) {
      kept.set(stored.name, stored);
      trim(kept, keptMax);
    },
    find(name, now) {
      const stored = typeof name === "string" ? kept.get(name) : undefined;
      return stored !== undefined && isAlive(stored, now) ? stored : null;
    },
    drop: (name) => void kept.delete(name),
    all: (now) => [...kept.values()].filter((stored) => isAlive(stored, now)),
    clear: () => kept.clear(),
  };
}

/** A request as the model reads it; of it, so many tokens are paid for by a cached content. */
export type Shown = { readonly text: string; readonly body: Body; readonly heldTokens: number };

/** The request with what it names put before it, if it names anything. */
export function shownBy(bodyText: string, body: Body, stored: StoredPrompt | null): Shown {
  if (stored === null) return { text: bodyText, body, heldTokens: 0 };
  const own = readTree(bodyText);
  const kept = readTree(stored.bodyText);
  const contents: Tree = {
    type: "list",
    items: [...itemsOf(member(kept, "contents")), ...itemsOf(member(own, "contents"))],
  };
  const head = membersOf(kept).filter(([name]) => name === "tools" || name === "systemInstruction");
  const rest = membersOf(own).filter(([name]) => name !== "contents");
  const text = writeTree({ type: "object", members: [...head, ...rest, ["contents", contents]] });
  const { tools, systemInstruction } = stored.body;
  const all = [...listOf(stored.body.contents), ...listOf(body.contents)];
  return { text, body: { ...body, tools, systemInstruction, contents: all }, heldTokens: stored.tokens };
}

function membersOf(tree: Tree) {
  return tree.type === "object" ? tree.members : [];
}
