import { join } from "node:path";
import { blobReader, mainStream, openHome } from "../../src/cli/home.ts";
import type { SessionId } from "../../src/kernel/ids.ts";
import type { Usage } from "../../src/kernel/usage.ts";
import type { AssistantBlock, Text } from "../../src/log/block.ts";
import type { Entry } from "../../src/log/entry.ts";

/** What a session's log says of its conversation, texts in place: what every export below writes in its own shape. */
export type Spoken = { readonly at: number } & (
  | { readonly type: "user"; readonly text: string; readonly injected: boolean }
  | {
      readonly type: "answer";
      readonly id: string;
      readonly model: string;
      readonly usage: Usage;
      readonly blocks: readonly SpokenBlock[];
    }
  | { readonly type: "result"; readonly callId: string; readonly tool: string; readonly text: string; failed: boolean }
);

export type SpokenBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly callId: string; readonly tool: string; readonly input: string };

/** `said` stands for what the texts call their folder: the copy that was worked on lies somewhere else at each run. */
export async function spokenOf(
  home: string,
  work: string,
  session: SessionId,
  said: string,
): Promise<readonly Spoken[]> {
  const opened = await openHome(home, work);
  const stream = mainStream(session);
  const blob = blobReader(opened, stream);
  const textOf = async (text: Text) => {
    const whole = typeof text === "string" ? text : ((await blob(text.blob)) ?? "");
    return neutral(whole.replaceAll(work, said));
  };
  const spoken: Spoken[] = [];
  for await (const entry of opened.stores.log.read(stream, null)) {
    const one = await spokenEntry(entry, textOf);
    if (one !== null) spoken.push(one);
  }
  return spoken;
}

/** Nothing of the machine it ran on. */
export function neutral(text: string): string {
  return text.replaceAll(root, "/home/dev/varve").replace(/^platform: .*$/m, "platform: linux");
}

const root = join(import.meta.dirname, "..", "..");

type TextOf = (text: Text) => Promise<string>;

async function spokenEntry(entry: Entry, textOf: TextOf): Promise<Spoken | null> {
  const { at } = entry;
  if (entry.type === "epoch-opened") return { at, type: "user", text: await textOf(entry.userContext), injected: true };
  if (entry.type === "message-added") return { at, type: "user", text: await textOf(entry.text), injected: false };
  if (entry.type === "tool-returned") {
    const { callId, tool, ending } = entry;
    return { at, type: "result", callId, tool, text: await textOf(entry.output), failed: ending !== "done" };
  }
  if (entry.type !== "response-received" || entry.usage === null) return null;
  const { messageId, model, usage } = entry;
  const blocks = await Promise.all(entry.blocks.map((block) => spokenBlock(block, textOf)));
  return { at, type: "answer", id: messageId, model, usage, blocks: blocks.filter((block) => block !== null) };
}

async function spokenBlock(block: AssistantBlock, textOf: TextOf): Promise<SpokenBlock | null> {
  if (block.type === "opaque" || block.type === "compaction") return null;
  if (block.type !== "tool-call") return { type: block.type, text: await textOf(block.text) };
  return { type: "call", callId: block.callId, tool: block.tool, input: await textOf(block.input) };
}
