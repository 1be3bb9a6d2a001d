/** Whole numbers of 32 bits, four bytes each, in pieces: a list of millions has no room to spare and is never copied. */
export function openNumberList() {
  const pieces: Int32Array[] = [];
  let size = 0;
  return {
    push: (value: number): void => {
      if (size % pieceSize === 0) pieces.push(new Int32Array(pieceSize));
      const piece = pieces.at(-1);
      if (piece !== undefined) piece[size % pieceSize] = value;
      size += 1;
    },
    at: (index: number): number | undefined =>
      index < 0 || index >= size ? undefined : pieces[Math.floor(index / pieceSize)]?.[index % pieceSize],
    size: (): number => size,
  };
}

const pieceSize = 1_024;
