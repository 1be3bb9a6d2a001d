/**
 * Memory that units of texts are copied into, many at once, to be read as numbers: that is several times quicker than to ask
 * the text for each. The one place here that uses the platform (decision 0035).
 */
export type TextBytes = {
  /** Writes a text from byte `at` on, as far as there is room; how many bytes that were. */
  write(text: string, at: number): number;
  readonly view: DataView;
};

/** The lower byte of each unit. */
export function lowBytes(unitsMax: number): TextBytes {
  return textBytes(unitsMax, "latin1");
}

/** Both bytes of each unit, the lower one first. */
export function bothBytes(unitsMax: number): TextBytes {
  return textBytes(2 * unitsMax, "utf16le");
}

function textBytes(length: number, encoding: "latin1" | "utf16le"): TextBytes {
  const bytes = Buffer.alloc(length + spare);
  return {
    write: (text, at) => bytes.write(text, at, length - at, encoding),
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
  };
}

/** Four bytes are read at once, from any place. */
const spare = 4;
