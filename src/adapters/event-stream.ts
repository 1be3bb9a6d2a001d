import { bounds } from "../kernel/bounds.ts";
import { parseJson } from "../kernel/json.ts";

type Answer =
  | { readonly type: "events"; readonly response: Response }
  /** A page or one JSON value: a login in between, a website, a server that does not stream. */
  | { readonly type: "other"; readonly text: string };

/**
 * No line of a stream of events begins as a page or a JSON value does. Only the body's first sign tells: the content type is
 * often wrong, and then the stream is good all the same.
 */
export async function answerOf(response: Response): Promise<Answer> {
  const reader = response.body?.getReader();
  if (reader === undefined) return { type: "events", response };
  const read: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) read.push(value);
    text += decoder.decode(value, { stream: !done });
    const first = text.trimStart()[0];
    if (first !== undefined && "<{[".includes(first)) {
      if (done || text.length >= bounds.errorCharsMax) {
        // What is left of a page is not wanted; a connection that breaks meanwhile changes nothing.
        void reader.cancel().catch(() => {});
        return { type: "other", text };
      }
      continue;
    }
    if (done || first !== undefined) {
      const { status, headers } = response;
      return { type: "events", response: new Response(resumed(read, reader), { status, headers }) };
    }
  }
}

/** What was read already, then the rest. Some servers leave out the blank line behind the last event, and one SDK needs it. */
function resumed(read: readonly Uint8Array[], reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream {
  const ahead = [...read];
  return new ReadableStream<Uint8Array>({
    async pull(out) {
      const value = ahead.shift() ?? (await reader.read()).value;
      out.enqueue(value ?? new TextEncoder().encode("\n\n"));
      if (value === undefined) out.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

type Frame = { readonly event: string | null; readonly data: string };

/**
 * The raw frames, so that servers which leave out the event's name, and pings as signs of life, are not lost. A frame
 * without data says nothing, as the standard has it; an error may come in plain words.
 */
export async function* eventsOf(frames: AsyncIterable<Frame>): AsyncIterable<unknown> {
  for await (const { event, data } of frames) {
    if (data === "[DONE]") return;
    if (data === "") continue;
    const parsed = parseJson(data);
    if (parsed.type === "ok") yield parsed.value;
    else if (event === "error") yield { type: "error", error: { message: data } };
    else throw new Error(`a frame of the stream is no JSON: ${parsed.why}`);
  }
}
