import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { openTranscript, type Reading } from "./transcript-bytes.ts";

/**
 * Files with one JSON value each, as one file of lines. A line end inside a value is white space between its parts, for in
 * a JSON text it stands nowhere else. What cannot be read is a line that holds no record, and is counted as such.
 */
export async function* eventLines(
  folder: string,
  names: readonly string[],
  reading: Reading,
): AsyncGenerator<Uint8Array> {
  for (const name of names) {
    const opened = await openTranscript(join(folder, name), reading);
    if (opened.type === "refused") {
      yield new TextEncoder().encode(`${opened.why}\n`);
      continue;
    }
    let bytes = 0;
    try {
      for await (const chunk of opened.chunks) {
        bytes += chunk.length;
        if (bytes <= bounds.transcriptLineBytesMax)
          yield chunk.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
      }
    } finally {
      await opened.close();
    }
    yield new Uint8Array([0x0a]);
  }
}
