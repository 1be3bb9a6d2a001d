import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Brain, BrainReply } from "../../src/testing/simulate/brain.ts";

/** A reply as a prompt may ask for it: `times` repeats its text. */
type ToldReply = BrainReply & { readonly times?: number };

/**
 * Does what the newest typed message says: a JSON list of replies is given one by one, any other text is said back.
 * All it knows stands in the request, so it goes on after a crash, a fork or a resume.
 */
const brain: Brain = ({ messages }) => {
  const parts = messages.flatMap(({ role, parts: list }) => list.map((part) => ({ role, part })));
  const typed = parts.findLastIndex(
    ({ role, part }) => role === "user" && part.type === "text" && !part.text.startsWith("<system-reminder>"),
  );
  const told = parts[typed]?.part;
  const text = told?.type === "text" ? told.text : "";
  const replies = repliesIn(text);
  if (replies === null) return { text: `heard: ${text}` };
  const answers = messagesAfter(parts.slice(typed).map(({ role }) => role));
  const { times = 1, ...reply } = replies[answers] ?? { text: "no more was told" };
  return reply.text === undefined ? reply : { ...reply, text: reply.text.repeat(times) };
};
export default brain;

function repliesIn(text: string): readonly ToldReply[] | null {
  const parsed = parseJson(text);
  if (parsed.type === "bad" || !Array.isArray(parsed.value) || !parsed.value.every(isRecord)) return null;
  return parsed.value;
}

function messagesAfter(roles: readonly string[]): number {
  return roles.filter((role, at) => role === "assistant" && roles[at - 1] !== "assistant").length;
}
