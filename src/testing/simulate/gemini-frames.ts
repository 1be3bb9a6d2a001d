/** One chunk of a stream, as this service sends it. */
export function geminiEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}

/** Without `alt=sse` the same chunks come as one JSON list. */
export function asJsonList(frames: readonly string[]): readonly string[] {
  const chunks = frames.filter((frame) => frame.startsWith("data: ")).map((frame) => frame.slice(6).trimEnd());
  return [...chunks.map((chunk, at) => `${at === 0 ? "[" : ",\r\n"}${chunk}`), chunks.length === 0 ? "[]" : "]"];
}

/** What a client has to skip between two chunks: a comment, and a chunk without candidates and with fields nobody knows. */
export function geminiNoise(frame: string): readonly string[] {
  if (frame.includes('"finishReason"')) return [];
  return [": keep-alive\r\n\r\n", geminiEvent({ candidates: [], simulatedUnknown: { at: 1 } })];
}
