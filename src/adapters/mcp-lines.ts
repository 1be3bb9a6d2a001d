/** Of a line that is too long, what stands at its two ends: enough to find whose it was. */
export type LongLine = { readonly head: string; readonly tail: string; readonly bytes: number };

type Given = {
  readonly bytesMax: number;
  readonly onLine: (line: string) => void;
  readonly onLong: (line: LongLine) => void;
};

/** Cuts bytes that come in pieces of any size into lines. A line is held once and only up to its limit, whatever is sent. */
export function createLines({ bytesMax, onLine, onLong }: Given): { add(chunk: Uint8Array): void } {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let head = "";
  let tail: Uint8Array = new Uint8Array();

  function add(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, from)) {
      take(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    take(chunk.subarray(from));
  }

  function take(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const wasLong = bytes > bytesMax;
    bytes += piece.length;
    if (bytes <= bytesMax) {
      pieces.push(piece);
      return;
    }
    if (!wasLong) head = decode(Buffer.concat([...pieces, piece].slice(0, 2)).subarray(0, endBytes));
    pieces = [];
    tail = Buffer.concat([tail, piece.subarray(-endBytes)]).subarray(-endBytes);
  }

  function end(): void {
    if (bytes > bytesMax) onLong({ head, tail: decode(tail), bytes });
    else if (bytes > 0) onLine(decode(Buffer.concat(pieces)));
    pieces = [];
    bytes = 0;
    head = "";
    tail = new Uint8Array();
  }

  return { add };
}

const lineEnd = 0x0a;
const endBytes = 256;

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
