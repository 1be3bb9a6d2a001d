import type { Client } from "@modelcontextprotocol/client";
import { bounds } from "../kernel/bounds.ts";
import type { Clock } from "../ports/world.ts";

type Given = {
  readonly client: Client;
  readonly clock: Clock;
  /** Until when. */
  readonly signal: AbortSignal;
  /** There was nobody to listen for a while: whatever may have changed. */
  readonly onMissed: () => void;
};

/**
 * In the newer protocol a server tells of changes only to who listens. A stream that breaks off is opened again; a server that
 * does not take it, or ends it by its own will, is none the worse for it.
 */
export async function subscribe({ client, clock, signal, onMissed }: Given): Promise<void> {
  const filter = filterOf(client);
  if (Object.keys(filter).length === 0) return;
  for (let tries = 0; tries < bounds.serverStartsMax && !signal.aborted; tries += 1) {
    const openedAt = clock.now();
    const stream = await client.listen(filter, { timeout: bounds.serverStartMsMax, signal }).catch(() => null);
    if (stream === null && tries === 0) return;
    if (stream !== null) {
      if (tries > 0) onMissed();
      if ((await stream.closed) !== "remote") return;
      if (clock.now() - openedAt >= bounds.serverSteadyMs) tries = 0;
    }
    await clock.sleep(bounds.serverRetryMsFirst * 2 ** tries, signal);
  }
}

function filterOf(client: Client) {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged === true && { toolsListChanged: true as const }),
    ...(prompts?.listChanged === true && { promptsListChanged: true as const }),
    ...(resources?.listChanged === true && { resourcesListChanged: true as const }),
  };
}
