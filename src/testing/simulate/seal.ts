import { hashOf } from "../../kernel/hash.ts";

/** What only the simulator can make of these texts: it signs its own reasoning and knows it again. */
export function sealOf(payload: string, text: string): string {
  return hashOf(`varve-simulator\n${payload}\n${text}`).slice(0, 32);
}

/** Empty where the text is no base64. */
export function decodeBase64(base64: string): string {
  return /^[A-Za-z0-9+/]+=*$/.test(base64) && base64.length % 4 === 0 ? atob(base64) : "";
}
