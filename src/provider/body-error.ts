/** A body that is no request of this wire. `path` says where, as in `messages.3.content`. */
export class BodyError extends Error {
  readonly path: string;
  constructor(path: string, what: string) {
    super(`not a request: ${path === "" ? "the body" : path} ${what}`);
    this.name = "BodyError";
    this.path = path;
  }
}
