import type { Brain, BrainReply } from "../../src/testing/simulate/brain.ts";

/** Carries out `/commit` as the bundled skill says, and tries one thing it may not do. All it knows stands in the request. */
const brain: Brain = ({ messages }) => {
  const parts = messages.flatMap(({ role, parts: list }) => list.map((part) => ({ role, part })));
  const typed = parts.findLastIndex(
    ({ role, part }) => role === "user" && part.type === "text" && !part.text.startsWith("<system-reminder>"),
  );
  const results = parts.slice(typed).filter(({ part }) => part.type === "result").length;
  return steps[results] ?? { text: "Committed: Say hello twice" };
};
export default brain;

const bash = (command: string): BrainReply => ({ calls: [{ tool: "Bash", input: { command } }] });

const steps: readonly BrainReply[] = [
  bash("git status --short"),
  bash("git diff"),
  bash("git log --oneline -10"),
  bash("git push origin main"),
  bash("git add hello.txt"),
  bash("git commit -m 'Say hello twice' -m 'Once was not enough.'"),
];
