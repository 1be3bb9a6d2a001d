/** Where a document is best cut: at the start of a part of its own, or else within one that is too long. */
export type Cuts = {
  /** Parts of their own: the first line of each (from 0), and what it is called. */
  readonly parts: readonly { readonly line: number; readonly title: string }[];
  /** How good a cut before that line is, within a part; higher is better. */
  readonly weigh: (line: number) => number;
};
