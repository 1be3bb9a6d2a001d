import { type Bundled, bundled } from "./bundled.ts";

export const commitSkill: Bundled = bundled({
  description: "Commit the work at hand to git, with a message that says why.",
  whenToUse: "When the user asks for a commit.",
  argumentHint: "[what to commit, or a hint for the message]",
  allowed: ["Bash(git status:*)", "Bash(git diff:*)", "Bash(git log:*)", "Bash(git add:*)", "Bash(git commit:*)"],
  body: `Make one commit of the work at hand. Only git status, git diff, git log, git add and git commit are open to you here, one
command per call.

1. Look: \`git status\`, \`git diff\`, \`git diff --cached\`, and \`git log --oneline -10\` for how messages are written here.
   If there is nothing to commit, say so and stop.
2. Think: what does the change do, and why? If it is two changes that have nothing to do with each other, commit the one
   that was asked for and name the other. Leave out what does not belong in a repository: secrets, files of one's own
   machine, what was built. Say what you left out.
3. Write the message: a first line of at most 72 characters in the style of the log, then, where the reason is not plain
   from it, a second paragraph that says why. Say only what the diff shows.
4. Commit: \`git add\` with the paths by name, then \`git commit -m "first line" -m "second paragraph"\`. Never with
   --no-verify, never with --amend unless the user asks for it, never a push. If a hook refuses, say what it said; do not
   go around it.
5. Tell the user in one line what was committed: hash and first line.`,
});
