import type { SecretValue } from "./secret-values.ts";
import { visibleOf } from "./visible.ts";

/**
 * The ways in which a value may stand in a text: as it is, escaped for JSON or for an address, and in base64 at each of
 * the three places it can have there. Line feeds are left out: a match may run over the end of a line.
 */
export function formsOf({ name, value }: SecretValue): readonly SecretValue[] {
  const plain = value.trim();
  const forms = [plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain.toWellFormed()), ...base64(plain)];
  const texts = forms.map((form) => visibleOf(form).text.replaceAll("\n", ""));
  return [...new Set(texts)].filter(({ length }) => length >= formCharsMin).map((text) => ({ name, value: text }));
}

const formCharsMin = 8;

/** Only the characters that the value alone decides, whatever stands before and behind it. */
function base64(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const places = [0, 1, 2].map((before) => {
    const binary = Array.from([...new Uint8Array(before), ...bytes], (byte) => String.fromCharCode(byte)).join("");
    const decided = Math.floor((binary.length * 8) / 6);
    return btoa(binary).slice(before === 0 ? 0 : before + 1, decided);
  });
  return places.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
}
