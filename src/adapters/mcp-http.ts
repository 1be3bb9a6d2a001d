import type { FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { bounds } from "../kernel/bounds.ts";
import type { ServerLaunch } from "../workspace/server-settings.ts";
import { pace } from "./mcp-pace.ts";

/**
 * A server behind an address, over the SDK's transport. The headers of the entry go to that origin alone: a redirect to
 * another is an error (`redirectPolicy`). What comes is bounded in bytes; no other proxy, cookie or key of ours goes along.
 */
export async function httpTransport(
  launch: Extract<ServerLaunch, { readonly type: "http" }>,
): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport: Http } = await import("@modelcontextprotocol/client");
  return new Http(new URL(launch.url), {
    requestInit: { headers: { ...launch.headers } },
    redirectPolicy: "same-origin",
    fetch: boundedFetch,
  });
}

const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  // A stream that stays open for notices may carry any number of them.
  const isLong = init?.method === "GET";
  const body = response.body.pipeThrough(limited(isLong));
  return new Response(body, { status, statusText, headers });
};

function limited(isLong: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    async transform(chunk, out) {
      const begun = performance.now();
      bytes += chunk.length;
      if (bytes > bounds.captureBytesMax) out.error(new Error(`more than ${bounds.captureBytesMax} bytes`));
      else out.enqueue(chunk);
      if (isLong && chunk.includes(lineEnd)) bytes = 0;
      await pace(begun);
    },
  });
}

const lineEnd = 0x0a;
