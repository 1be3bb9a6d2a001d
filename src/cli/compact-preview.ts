import { nothingToCompact } from "../agent/compaction.ts";
import { modelAsItIs } from "./chosen-model.ts";
import { type Asked, type CompactFlags, modelOf, noModelFlag, reductionsOf, refused } from "./compact-asked.ts";
import { previewText } from "./compact-text.ts";
import { viewOnly } from "./compact-view.ts";
import { exitCodes } from "./exit.ts";
import type { Home } from "./home.ts";
import { sessionAsItIs } from "./open-session.ts";

/** What would go and stay, of a session that is only looked at. */
export async function previewed(
  home: Home,
  { session, state, part, scope, focus }: Asked,
  flags: CompactFlags,
): Promise<number> {
  const view = { ...home, stores: viewOnly(home.stores) };
  const open = await sessionAsItIs(view, state, session, {
    chosen: await modelAsItIs(flags, home.root, modelOf(state)),
    ...reductionsOf(flags),
  });
  try {
    const found = await open.previewCompaction(scope);
    if (found === null) return refused(session, nothingToCompact, flags);
    const why = noModelFlag(flags);
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ type: "preview", session, ...found })}\n`
        : previewText(found, { part, focus, why }),
    );
    return exitCodes.done;
  } finally {
    await open.close();
  }
}
