import { expect, test, vi } from "vitest";
import { timeOf } from "../../src/import/place.ts";

const at = Date.UTC(2026, 3, 30, 16, 45, 41);

test.each([
  ["ISO text", "2026-04-30T16:45:41Z", at],
  ["with a zone", "2026-04-30T18:45:41+02:00", at],
  ["without one", "2026-04-30T16:45:41", at],
  ["without one, in microseconds", "2026-04-30T16:45:41.000899", at],
  ["a blank in the middle", "2026-04-30 16:45:41", at],
  ["to the minute", "2026-04-30T16:45", at - 41_000],
  ["milliseconds", at, at],
  ["seconds", at / 1000, at],
  ["no time", "yesterday", null],
  ["nothing", 0, null],
  ["another type", { at }, null],
])("a time is the same on every machine: %s", (_name, value, time) => {
  vi.stubEnv("TZ", "Asia/Tokyo");
  try {
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(-540);
    expect(timeOf(value)).toBe(time);
  } finally {
    vi.unstubAllEnvs();
  }
});
