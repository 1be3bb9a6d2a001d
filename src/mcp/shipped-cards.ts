/** A tool that is known to be dear before it was ever called here. */
export type ShippedTool = {
  readonly tool: string;
  /** `image`: its cost is a picture, which no count of its text shows. */
  readonly kind: "text" | "image";
  /** Tokens of a result, measured once; null: it was not. */
  readonly rawTokens: number | null;
  /** What costs less: the first of which the server has the tool that it `needs` (null: none). */
  readonly instead: readonly Instead[];
};

type Instead = { readonly needs: string | null; readonly words: string };

type ShippedCard = {
  /** Tools by which the server is known, whatever the user calls it: two of them are enough. */
  readonly marks: readonly string[];
  readonly tools: readonly ShippedTool[];
};

/** What is known of a server with these tools; empty: nothing. Tools that it does not have are left out. */
export function shippedFor(tools: ReadonlySet<string>): readonly ShippedTool[] {
  const card = shippedCards.find(({ marks }) => marks.filter((mark) => tools.has(mark)).length >= marksMin);
  return card === undefined ? [] : card.tools.filter(({ tool }) => tools.has(tool));
}

export function wordsFor({ instead }: ShippedTool, tools: ReadonlySet<string>): string | null {
  return instead.find(({ needs }) => needs === null || tools.has(needs))?.words ?? null;
}

const marksMin = 2;

/** Of @modelcontextprotocol/server-filesystem 2026.8.31, over this program's own 900 source files. */
const filesystem: ShippedCard = {
  marks: ["read_text_file", "directory_tree", "list_allowed_directories", "read_multiple_files"],
  tools: [
    dear("directory_tree", 22_000, [
      { needs: "list_directory", words: "list_directory of one folder" },
      { needs: null, words: "excludePatterns, or a folder further down" },
    ]),
    dear("search_files", 12_000, [{ needs: null, words: "a narrower path and pattern" }]),
    dear("read_multiple_files", 8_500, [{ needs: "read_text_file", words: "read_text_file with head or tail" }]),
    dear("read_text_file", 3_000, [{ needs: null, words: "head or tail for a part" }]),
    picture("read_media_file", [{ needs: "get_file_info", words: "get_file_info where type and size will do" }]),
  ],
};

/** Of @playwright/mcp 0.0.83, on a page of 56 KB with a table of 300 rows. */
const playwright: ShippedCard = {
  marks: ["browser_snapshot", "browser_navigate", "browser_click", "browser_take_screenshot"],
  tools: [
    dear("browser_snapshot", 38_000, [
      { needs: "browser_find", words: "browser_find for one text; recall for more of a snapshot that was taken" },
      {
        needs: "browser_evaluate",
        words: "browser_evaluate for one text; recall for more of a snapshot that was taken",
      },
      { needs: null, words: "recall for more of a snapshot that was taken" },
    ]),
    picture("browser_take_screenshot", [
      { needs: "browser_find", words: "browser_find for text" },
      { needs: "browser_evaluate", words: "browser_evaluate for text" },
    ]),
  ],
};

/** Of chrome-devtools-mcp 1.11.0, on the same page. Firefox's server shares other names, with other parameters. */
const chromeDevtools: ShippedCard = {
  marks: ["take_snapshot", "take_screenshot", "performance_start_trace"],
  tools: [
    dear("take_snapshot", 30_000, [
      { needs: "evaluate_script", words: "evaluate_script for one text; recall for more of a snapshot that was taken" },
      { needs: null, words: "recall for more of a snapshot that was taken" },
    ]),
    picture("take_screenshot", [{ needs: "evaluate_script", words: "evaluate_script for text" }]),
    dear("list_network_requests", null, [{ needs: null, words: "pageSize and resourceTypes" }]),
    dear("list_console_messages", null, [{ needs: null, words: "pageSize and types" }]),
  ],
};

/** Figma's own server needs an account: by what its documentation says, not measured. */
const figma: ShippedCard = {
  marks: ["get_design_context", "get_metadata", "get_variable_defs", "get_figjam"],
  tools: [
    dear("get_design_context", null, [
      { needs: "get_metadata", words: "get_metadata first, then this for the one node that is needed" },
      { needs: null, words: "the one node that is needed, not its frame" },
    ]),
    dear("get_metadata", null, [{ needs: null, words: "a node's id, not the whole page" }]),
    dear("get_figjam", null, [{ needs: null, words: "a node's id, not the whole board" }]),
    picture("get_screenshot", [{ needs: "get_design_context", words: "only where the looks are the question" }]),
  ],
};

const shippedCards: readonly ShippedCard[] = [filesystem, playwright, chromeDevtools, figma];

function dear(tool: string, rawTokens: number | null, instead: readonly Instead[]): ShippedTool {
  return { tool, kind: "text", rawTokens, instead };
}

function picture(tool: string, instead: readonly Instead[]): ShippedTool {
  return { tool, kind: "image", rawTokens: null, instead };
}
