import type { Item } from "../src/import/transcript.ts";
import { hashOf } from "../src/kernel/hash.ts";
import type { Segment, SegmentKind } from "../src/prompt/segment.ts";
import type { Block, RecordedCall } from "../src/replay/recording.ts";

/** A part of a recorded prompt as the agent would have it in its request. */
export type Part = { readonly segment: Segment; readonly block: Block };

/** A recording keeps texts alone: images are marked in theirs, and are parts of their own again in `partsOf`. */
export function withImages(item: Item): Item {
  if ((item.type !== "message" && item.type !== "result") || item.images === 0) return item;
  return { ...item, text: item.text + imageMark.repeat(item.images) };
}

export function partsOf(blocks: readonly Block[]): readonly Part[] {
  return blocks.flatMap((block) => {
    const [text = "", ...images] = block.text.split(imageMark);
    const own = { ...block, text };
    const pictures = images.map((_, at): Part => ({ block: { ...own, text: "" }, segment: image(block, at) }));
    return text === "" && pictures.length > 0 ? pictures : [{ block: own, segment: segmentOf(own) }, ...pictures];
  });
}

/** An answer's parts. Reasoning that the file tells only the tokens of was part of it, and went back in its closed form. */
export function answerParts({ answer, usage, n }: RecordedCall, sendsReasoning: boolean): readonly Part[] {
  const told = answer.filter(({ kind }) => sendsReasoning || kind !== "reasoning");
  if (!sendsReasoning || usage.reasoning === 0 || told.some(({ kind }) => kind === "reasoning")) return partsOf(told);
  const block = { id: -1 - n, role: "assistant", kind: "reasoning", callId: null, tool: null, text: "" } as const;
  const segment: Segment = { ...segmentOf(block), hash: hashOf(`reasoning ${n}`), text: null };
  return [{ block, segment: { ...segment, span: [0, usage.reasoning * closedCharsPerToken] } }, ...partsOf(told)];
}

const imageMark = "\0image\0";

/** Characters of the encrypted form for each token of reasoning. */
const closedCharsPerToken = 6;

function segmentOf(block: Block): Segment {
  const kind = kinds[block.kind];
  const marks = kind === "tool-call" ? callChars + (block.tool ?? "").length : 0;
  return {
    id: 0,
    kind,
    role: block.role,
    ...(block.callId === null ? {} : { callId: block.callId }),
    hash: hashOf(`${kind} ${block.role} ${block.callId ?? ""}\n${block.text}`),
    text: block.text,
    span: [0, block.text.length + marks],
    textSpans: [],
  };
}

function image(block: Block, at: number): Segment {
  const hash = hashOf(`image ${block.id} ${at}`);
  return { id: 0, kind: "image", role: block.role, hash, text: null, span: [0, 0], textSpans: [] };
}

/** Of a call's JSON in a request, what stands around its input but the tool's name: type, id, names of fields. */
const callChars = 70;

const kinds: Readonly<Record<Block["kind"], SegmentKind>> = {
  text: "text",
  summary: "text",
  reasoning: "reasoning",
  "tool-call": "tool-call",
  "tool-result": "tool-result",
  recalled: "tool-result",
};
