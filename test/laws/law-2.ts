import type { Wire } from "../../src/kernel/usage.ts";
import { checkRequest } from "../../src/testing/simulate/check.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { simModels } from "../../src/testing/simulate/models.ts";
import { sharedPrefix } from "../../src/testing/simulate/segment.ts";
import { lawCodec, type RandomLog } from "../support/play-log.ts";
import { keyOf, type SentAgain } from "../support/replay-log.ts";

/** The first way in which a log breaks law 2, by the simulator's own cut; null where it keeps it. */
export function prefixBroken(wire: Wire, sentAgain: readonly SentAgain[]): string | null {
  const requests = sentAgain.map((sent) => ({
    ...sent,
    segments: cut(wire, sent.request.body),
    key: keyOf(sent.request),
  }));
  for (const [index, next] of requests.entries()) {
    const before = requests[index - 1];
    if (before === undefined || before.epoch !== next.epoch) continue;
    const shared = sharedPrefix(before.segments, next.segments);
    const where = `entry ${next.seq} after ${before.seq}`;
    if (shared < before.segments.length) return `${where}: segment ${shared} of ${before.segments.length} changed`;
    if (before.key !== next.key) return `${where}: cache key ${before.key} became ${next.key}`;
  }
  return null;
}

/** The first request of a log that the simulator refuses, or whose segments are not the document's. */
export function requestBroken(wire: Wire, log: RandomLog, sentAgain: readonly SentAgain[]): string | null {
  const codec = lawCodec(wire);
  for (const [index, { seq, doc, request }] of sentAgain.entries()) {
    if (request.body !== log.bodies[index]) return `entry ${seq}: the log gives other bytes than were sent`;
    const headers = { ...request.headers, "content-type": "application/json", "x-api-key": "k", "x-goog-api-key": "k" };
    const account = { memory: log.memory, asked: request.model };
    const refused = checkRequest(wire, headers, request.body, simModels, account);
    if (refused !== null) return `entry ${seq}: ${refused.rule} (${refused.paragraph}): ${refused.message}`;
    const sent = codec.segments(new TextEncoder().encode(request.body)).map(({ hash }) => hash);
    const said = codec.segmentsOfDoc(doc).map(({ hash }) => hash);
    if (sent.join() !== said.join()) return `entry ${seq}: the body's segments are not the document's`;
  }
  return null;
}
