import type { Session } from "../agent/session.ts";
import type { Entry } from "../log/entry.ts";

/** What the user chooses while a lane runs holds there too: facts (law 6), and a mode, for planning refuses writes in every lane. */
export function following(parent: Pick<Session, "listen">, child: Session): () => void {
  return parent.listen(async (event) => {
    if (event.type === "entry") await follow(event.entry, child);
  });
}

async function follow(entry: Entry, child: Session): Promise<void> {
  if (entry.type === "mode-chosen") await child.chooseMode(entry.mode);
  // Where it is the project's it stands in the project's stream already.
  if (entry.type === "fact-pinned") await child.changeFacts({ type: "pin", text: entry.text, scope: "session" });
  if (entry.type === "fact-retired") await child.changeFacts({ type: "retire", fact: entry.fact });
}
