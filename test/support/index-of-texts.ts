import type { Archive, Archived } from "../../src/adapters/index-archive.ts";
import { scanIndex } from "../../src/adapters/index-scan.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import type { Index } from "../../src/ports/index-port.ts";

/** An archive of texts by their handles, as results of a tool. */
export function archiveOfTexts(texts: ReadonlyMap<string, string>): Archive {
  return {
    all: async () =>
      [...texts].map(([handle, text], at): Archived => {
        const place = { lane: mainLane, seq: at + 1 };
        return { handle: brand(handle), tool: "Bash", title: `made ${handle}`, text, kind: "original", ...place };
      }),
    read: async ({ text }) => (typeof text === "string" ? text : null),
  };
}

export function indexOfTexts(texts: ReadonlyMap<string, string>): Index {
  return scanIndex(archiveOfTexts(texts));
}
