import type { Block } from "../../src/replay/recording.ts";

/** Blocks as other programs' messages hold them: an answer is one, each result is one, each text of the user is one. */
export type Turn =
  | { readonly type: "said"; readonly block: Block }
  | { readonly type: "answered"; readonly blocks: readonly Block[]; readonly again: Again | null }
  | { readonly type: "returned"; readonly block: Block; readonly callId: string };

/** A call that is in no recording: what was lost had to be produced once more. Of the call itself nothing is counted. */
type Again = { readonly callId: string; readonly tool: string };

export function turnsOf(blocks: readonly Block[]): readonly Turn[] {
  const turns: Turn[] = [];
  let answer: Block[] = [];
  const endAnswer = () => {
    if (answer.length > 0) turns.push({ type: "answered", blocks: answer, again: null });
    answer = [];
  };
  for (const block of blocks) {
    if (block.role === "assistant") {
      answer.push(block);
      continue;
    }
    endAnswer();
    if (block.kind === "recalled") turns.push(...ranAgain(block));
    else if (block.callId === null) turns.push({ type: "said", block });
    else turns.push({ type: "returned", block, callId: block.callId });
  }
  endAnswer();
  return turns;
}

function ranAgain(block: Block): readonly Turn[] {
  const again = { callId: `again${block.id}`, tool: block.tool ?? "tool" };
  return [
    { type: "answered", blocks: [], again },
    { type: "returned", block, callId: again.callId },
  ];
}

/** What a tool was called with, as packages keep it; a text that is no object stands under a name of its own. */
export type CallInput = { readonly callId: string; readonly tool: string; readonly text: string };

export function callsOf(turn: Extract<Turn, { readonly type: "answered" }>): readonly CallInput[] {
  const recorded = turn.blocks.flatMap(({ kind, callId, tool, text }) =>
    kind === "tool-call" && callId !== null ? [{ callId, tool: tool ?? "tool", text }] : [],
  );
  return turn.again === null ? recorded : [...recorded, { ...turn.again, text: "{}" }];
}
