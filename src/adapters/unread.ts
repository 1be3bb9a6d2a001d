/** The newest of a text that may never end, taken in parts: each part once, what did not fit is counted. */
export type Unread = {
  add(text: string): void;
  take(): { readonly text: string; readonly charsLeftOut: number };
};

export function createUnread(charsMax: number): Unread {
  let text = "";
  let charsLeftOut = 0;

  const shorten = (): void => {
    if (text.length <= charsMax) return;
    const from = text.length - charsMax;
    // Not inside a pair of surrogates.
    const at = /[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from;
    charsLeftOut += at;
    text = text.slice(at);
  };
  return {
    add(more) {
      text += more;
      // Twice the room, then cut to it: the copying costs a fixed amount per character.
      if (text.length > 2 * charsMax) shorten();
    },
    take() {
      shorten();
      const taken = { text, charsLeftOut };
      text = "";
      charsLeftOut = 0;
      return taken;
    },
  };
}
