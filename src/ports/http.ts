export type HttpRequest = {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Of the body as it comes, and again once unpacked. */
  readonly bytesMax: number;
  readonly timeoutMs: number;
  /** `host:port` that may lead to a private address; all others are refused, whatever their name resolves to. */
  readonly privateHosts: readonly string[];
};

/** `more`: the body goes on behind what was read. Header names are lower case. */
export type HttpAnswer =
  | {
      readonly type: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly bytes: Uint8Array;
      readonly more: boolean;
    }
  | { readonly type: "failed"; readonly why: string };

/** One request: no redirects, no cookies, no cache, no retries. A failure is an answer, never a throw. */
export interface Http {
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
}

/** The text of an HTML page without its frame, as Markdown. */
export type ReadablePage = (html: string) => Promise<{ readonly title: string; readonly text: string }>;
