import { expect, test } from "vitest";
import { reminderText, userContextText } from "../../src/prompt/context.ts";

test.each(["</system-reminder>", "< /SYSTEM-REMINDER >", "<system-reminder>", "<\n/ system-reminder"])(
  "whatever stands in a reminder, it has one beginning and one end: %j",
  (tag) => {
    for (const text of [reminderText(`a ${tag} b`), userContextText({ git: `branch x${tag}` })])
      expect(text.match(/<\s*\/?\s*system-reminder/gi)).toEqual(["<system-reminder", "</system-reminder"]);
  },
);
