import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { toolName } from "../../src/mcp/names.ts";
import { type Searchable, toolIndex } from "../../src/mcp/tool-search.ts";
import { toolRanking } from "../../src/mcp/tool-search-rank.ts";

function tool(server: string, name: string, description: string, more: Partial<Searchable> = {}): Searchable {
  const none = { title: "", parameters: "{}", instructions: "" };
  return { name: toolName(server, name), server, tool: name, description, ...none, ...more };
}

function taking(parameters: Readonly<Record<string, string>>): string {
  const properties = Object.entries(parameters).map(([name, description]) => [name, { type: "string", description }]);
  return JSON.stringify({ type: "object", properties: Object.fromEntries(properties) });
}

const tools: readonly Searchable[] = [
  tool("hub", "create_issue", "Open a new issue in a repository", {
    parameters: taking({ title: "Headline of the issue", assignee: "Who shall work on it" }),
  }),
  tool("hub", "list_issues", "List the issues of a repository"),
  tool("hub", "get_issue", "Get one issue of a repository"),
  tool("hub", "delete_issue", "Delete an issue of a repository"),
  tool("vault", "keyvault_secret_get", "Get a secret out of a Key Vault"),
  tool("vault", "keyvault_key_create", "Create a key in a Key Vault"),
  tool("web", "browserTakeScreenshot", "Capture what the page looks like"),
  tool("web", "search", "Search the web", { instructions: "Use this server for anything about gardening." }),
  tool("trips", "find_bus", "Find a coach between two places", {
    parameters: taking({ departure_date: "Day of leaving" }),
  }),
  tool("trips", "bus_stops", "Names of the stops of a coach"),
  tool("天気", "今日の天気", "指定した都市の天気予報を返します"),
  tool("天気", "地図", "場所の地図を表示します"),
];
const index = toolIndex(tools);

function found(query: string, limit = 3): readonly string[] {
  return index.search(query, limit).hits.map((one) => one.tool);
}

describe("names come first", () => {
  test("a declared name finds its tool and nothing else", () => {
    expect(found("mcp__hub__get_issue")).toEqual(["get_issue"]);
    expect(found("  mcp__hub__get_issue\n")).toEqual(["get_issue"]);
  });

  test("the server's own name stands first, whatever its case, and what is like it behind", () => {
    expect(found("list_issues")[0]).toBe("list_issues");
    expect(found("LIST_ISSUES")[0]).toBe("list_issues");
    expect(found("今日の天気")[0]).toBe("今日の天気");
    expect(found("search")[0]).toBe("search");
  });

  test("every server's tool of one name is found by it", () => {
    const twice = toolIndex([tool("a", "fetch_page", "x"), tool("b", "fetch_page", "y"), ...tools]);
    expect(twice.search("fetch_page", 5).hits.map(({ server }) => server)).toEqual(["a", "b"]);
  });

  test("a name inside a sentence counts; a word that is also a name does not", () => {
    expect(found("I need to call bus_stops now")[0]).toBe("bus_stops");
    expect(found("search for the stops of a coach")[0]).toBe("bus_stops");
  });

  test("select: takes a list of names in its order, and what is missing is said by names like it", () => {
    const { hits, near } = index.search("select:mcp__hub__get_issue, find_bus,mcp__hub__creat_issue", 5);
    expect(hits.map((one) => one.tool)).toEqual(["get_issue", "find_bus"]);
    expect(near[0]).toBe("mcp__hub__create_issue");
    expect(index.search("select:", 5)).toEqual({ hits: [], near: [] });
  });

  test("a plus asks for a word in the name of the tool or its server", () => {
    expect(found("+vault create", 9)).toEqual(["keyvault_key_create"]);
    expect(found("+nowhere create", 9)).toEqual([]);
  });

  test("no more are given than were asked for", () => {
    expect(found("issue", 2)).toHaveLength(2);
    expect(found("select:get_issue,find_bus", 1)).toEqual(["get_issue"]);
  });
});

describe("what is said ranks the rest", () => {
  const rows: readonly { readonly rule: string; readonly query: string; readonly first: string }[] = [
    { rule: "words of the description", query: "capture the page", first: "browserTakeScreenshot" },
    { rule: "parts of a name", query: "take screenshot", first: "browserTakeScreenshot" },
    { rule: "what is to be done tells tools of one thing apart", query: "remove an issue", first: "delete_issue" },
    { rule: "a question asks to read", query: "which issues does the repository have?", first: "list_issues" },
    { rule: "two words that are one word in the name", query: "key vault secret", first: "keyvault_secret_get" },
    { rule: "names and words of parameters", query: "set the assignee and headline", first: "create_issue" },
    { rule: "words that mean about the same", query: "photo of the page", first: "browserTakeScreenshot" },
    { rule: "a date asks for a tool that takes one", query: "coach on 2026-03-10", first: "find_bus" },
    { rule: "the instructions of a server", query: "gardening", first: "search" },
    { rule: "a slip of the pen", query: "screnshot", first: "browserTakeScreenshot" },
    { rule: "languages without blanks", query: "都市の天気予報を見たい", first: "今日の天気" },
    { rule: "what is asked in another language, for a few words", query: "删除 issue", first: "delete_issue" },
  ];
  test.each(rows)("$rule: $query", ({ query, first }) => {
    expect(found(query)[0]).toBe(first);
  });

  test("the order in which tools are listed changes no order of what is found", () => {
    const other = toolIndex(tools.toReversed());
    for (const { query } of rows) expect(other.search(query, 1).hits[0]?.tool).toBe(found(query, 1)[0]);
  });
});

describe("a catalogue that changes", () => {
  test("what is new is found, what is gone is not, and the rest scores as in an index of its own", () => {
    const list = [...tools.slice(1), tool("mail", "отправить_письмо", "Отправляет письмо адресату")];
    const [changed, fresh] = [toolRanking(list), toolRanking(list.map((one) => ({ ...one })))];
    for (const query of ["открыть письмо", "open an issue", "get a secret out of a key vault", "screnshot", "天気予報"])
      expect(changed(query)).toEqual(fresh(query));
    expect(changed("open a new issue").map((hit) => list[hit.tool]?.tool)).not.toContain("create_issue");
    expect(list[changed("отправить писмьо").at(0)?.tool ?? -1]?.tool).toBe("отправить_письмо");
  });

  test("a slip of the pen is forgiven in any letters", () => {
    const mail = toolIndex([
      tool("mail", "x", "Переадресация сообщения"),
      tool("mail", "y", "Удаление папки"),
      ...tools,
    ]);
    expect(mail.search("переадрсация", 1).hits.map((one) => one.tool)).toEqual(["x"]);
  });
});

describe("nothing is a good answer", () => {
  test.each(["", "   ", "the of and", "zebra umbrella", "🦓", "+", "<>", "xyzzy plugh"])(
    "%j finds nothing",
    (query) => {
      expect(found(query)).toEqual([]);
    },
  );

  test("on a miss names like the one that was asked for are given, and none where none is like it", () => {
    expect(index.search("select:keyvault_secret_gte", 5)).toEqual({
      hits: [],
      near: ["mcp__vault__keyvault_secret_get"],
    });
    expect(index.search("zebra umbrella", 5).near).toEqual([]);
  });

  test("no tools, no hits", () => {
    expect(toolIndex([]).search("anything", 5)).toEqual({ hits: [], near: [] });
  });

  test("a tool that fits far worse than the best one is left out", () => {
    expect(found("get a secret out of a key vault", 9)).not.toContain("get_issue");
  });
});

describe("whatever a server says is only text", () => {
  test("a schema that is no JSON, or a name of JavaScript's own, finds nothing by itself and breaks nothing", () => {
    const odd = toolIndex([
      tool("x", "constructor", "toString __proto__", { parameters: "{" }),
      tool("x", "paint", "Paints a wall", { parameters: '{"properties":[1],"enum":{"a":null}}' }),
    ]);
    expect(odd.search("paint the wall", 5).hits.map((one) => one.tool)).toEqual(["paint"]);
    expect(odd.search("constructor", 5).hits.map((one) => one.tool)).toEqual(["constructor"]);
    expect(odd.search("hasOwnProperty", 5).hits).toEqual([]);
  });

  test("of a long text the beginning is compared, and of a long query too", () => {
    const filler = "lorem ".repeat(bounds.searchedCharsMax / 6);
    const long = toolIndex([tool("x", "one", `${filler} hippopotamus`), tool("x", "two", `giraffe ${filler}`)]);
    expect(long.search("hippopotamus", 5).hits).toEqual([]);
    expect(long.search("giraffe", 5).hits.map((one) => one.tool)).toEqual(["two"]);
    expect(long.search(`${" ".repeat(bounds.questionCharsMax)}giraffe`, 5).hits).toEqual([]);
  });
});
