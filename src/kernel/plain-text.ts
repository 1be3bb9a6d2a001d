/** A text as it is compared: characters of one meaning alike. Line ends stay where they are. */
export function plainText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .toWellFormed()
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replaceAll(/[\ufe0e\ufe0f]/g, "");
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}
