import { type Block, keyOf, type Lane, type Repeat, remember, type ToolCall } from "./lane.ts";

/** A result as it comes: whether its lane had it before, and how to remember it once it is a block. */
export type Seen = {
  readonly repeat: Repeat | null;
  readonly hash: number;
  readonly remember: (block: Block) => void;
};

/** "ok" and the like are no repeats worth a word. */
const tokensMin = 32;

export function seenBefore(lane: Lane, call: ToolCall | undefined, text: string, tokens: number): Seen {
  if (tokens < tokensMin) return { repeat: null, hash: 0, remember: () => undefined };
  const hash = keyOf(text);
  const file = call?.file ?? null;
  const sameText = lane.seenTexts.get(hash);
  const sameCall = call === undefined ? undefined : lane.seenCalls.get(call.key);
  const sameFile = file === null ? undefined : lane.seenFiles.get(file);
  return {
    repeat: repeatOf({ sameText, sameCall, sameFile, hash }),
    hash,
    remember: (block) => {
      remember(lane.seenTexts, hash, block);
      if (call !== undefined) remember(lane.seenCalls, call.key, block);
      if (file !== null) remember(lane.seenFiles, file, block);
    },
  };
}

/** One class each, the most telling first; against what is still in the prompt before what a compaction took. */
function repeatOf(input: {
  readonly sameText: Block | undefined;
  readonly sameCall: Block | undefined;
  readonly sameFile: Block | undefined;
  readonly hash: number;
}): Repeat | null {
  const { sameText, sameCall, sameFile, hash } = input;
  const isShown = sameText?.isLive === true;
  if (sameFile !== undefined && isShown) return "rereadsUnchanged";
  if (sameFile?.isLive === true) return "rereadsChanged";
  if (sameCall?.isLive === true && sameCall.hash === hash) return "repeatedCalls";
  if (isShown) return "repeatedResults";
  const wasCompacted = [sameText, sameCall, sameFile].some((block) => block?.isCompacted === true && !block.isLive);
  return wasCompacted ? "rereadCompacted" : null;
}
