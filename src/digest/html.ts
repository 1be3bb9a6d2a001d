import type { Judge } from "./form.ts";

/** What a page says and offers; not how it looks or what it runs. */
export function htmlJudge(): Judge {
  let isHidden = false;
  return (line) => {
    if (/<(?:script|style|svg)\b/i.test(line)) isHidden = true;
    const hides = isHidden;
    if (/<\/(?:script|style|svg)>/i.test(line)) isHidden = false;
    if (hides) return 0.02;
    if (/<(?:title|h[1-6]|meta name="description"|form|input|button|select|textarea|label|main)\b/i.test(line))
      return 3;
    if (/<a\b/i.test(line)) return 1.5;
    return />[^<\s][^<]*</.test(line) || !line.includes("<") ? 1 : 0.1;
  };
}
