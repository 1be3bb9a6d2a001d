import { brand } from "../kernel/ids.ts";
import type { EntryBody } from "../log/entry.ts";
import type { Index, Searched } from "../ports/index-port.ts";
import type { Stores } from "../ports/store.ts";
import { wordsOf } from "../tools/recall-words.ts";
import { lane, main, type Runner, said, started, write } from "./store-proof.ts";

/** An index under test: of session `s1` of these stores, which are empty at first. */
export type IndexUnderTest = { readonly index: Index; readonly stores: Stores };

type Suite = Runner & { readonly name: string; readonly make: () => Promise<IndexUnderTest> };
type Proof = (under: IndexUnderTest, expect: Runner["expect"]) => Promise<void>;

/** Registers what every index must do. `make` gives a fresh one for each test. */
export function indexConformance(suite: Suite): void {
  for (const [rule, prove] of Object.entries(proofs))
    suite.test(`${suite.name} · ${rule}`, async () => prove(await suite.make(), suite.expect));
}

const proofs: Readonly<Record<string, Proof>> = {
  "an empty session has nothing": async ({ index }, expect) => {
    expect((await index.find("abcdef")).type).toBe("unknown");
    expect((await search(index, "word")).found).toBe(0);
  },
  "what the log got since the search before is found, of every lane": async ({ index, stores }, expect) => {
    await write(stores.log, main, [
      started("s1"),
      ...returned("c1", "aaaaaa000001", "alpha beta"),
      said("please look at gamma"),
    ]);
    expect(await handles(index, "beta")).toEqual(["aaaaaa000001"]);
    expect((await search(index, "gamma")).hits[0]?.tool).toBe("user");
    await write(stores.log, lane, [started("s1"), ...returned("c2", "aaaaaa000002", "delta beta")]);
    expect(await handles(index, "delta")).toEqual(["aaaaaa000002"]);
    expect((await handles(index, "beta")).length).toBe(2);
    const found = await index.find("aaaaaa000002");
    expect(found.type === "found" ? found.text : found.type).toBe("delta beta");
  },
  "a hit says the tool and what the call was about; that alone is found, too": async ({ index, stores }, expect) => {
    await write(stores.log, main, [started("s1"), ...returned("c1", "aaaaaa000001", "ok")]);
    expect((await search(index, "frobnicate")).hits).toEqual([
      { handle: "aaaaaa000001", tool: "Bash", title: "frobnicate --about c1" },
    ]);
  },
  "words are found in every script, inside identifiers, and as signs": async ({ index, stores }, expect) => {
    const texts: Readonly<Record<string, string>> = {
      aaaaaa000001: "用户登录失败，请重试",
      aaaaaa000002: "ユーザーのログインに失敗しました",
      aaaaaa000003: "const getUserByEmail_v2 = src/auth/session-store.ts:42",
      aaaaaa000004: "deploy 🚀 done 👩‍💻",
      aaaaaa000005: "Straße ＦＵＬＬ Ünïcode id=7",
      aaaaaa000006: "a => b; identity",
      aaaaaa000007: "사용자 로그인을 확인",
    };
    const entries = Object.entries(texts).flatMap(([handle, text], at) => returned(`c${at}`, handle, text));
    await write(stores.log, main, [started("s1"), ...entries]);
    for (const [words, handle] of [
      ["登录", 1],
      ["失", 1],
      ["ログイン", 2],
      ["UserByEmail", 3],
      ["getuserbyemail_V2", 3],
      ["auth/session-store.ts", 3],
      ["uth/sess", 3],
      ["🚀", 4],
      ["👩‍💻", 4],
      ["STRASSE straße", 5],
      ["full", 5],
      ["ünïcode", 5],
      ["id", 5],
      ["=>", 6],
      ["dentit", 6],
      ["로그인", 7],
    ] as const)
      expect([words, (await handles(index, words))[0]]).toEqual([words, `aaaaaa00000${handle}`]);
    expect((await handles(index, "用户 失败")).slice(0, 1)).toEqual(["aaaaaa000001"]);
    expect(await handles(index, "nobody")).toEqual([]);
  },
  "those with all the words come first, then the rarer word; the newest of equals first": async (
    { index, stores },
    expect,
  ) => {
    const texts = ["common one", "common rare", "common two", "rare alone", "common one"];
    const entries = texts.flatMap((text, at) => returned(`c${at}`, `aaaaaa00000${at}`, text));
    await write(stores.log, main, [started("s1"), ...entries]);
    const found = await search(index, "common rare");
    expect(found.hits.slice(0, 2).map(({ handle }) => handle)).toEqual(["aaaaaa000001", "aaaaaa000003"]);
    expect([found.found, found.foundAll, found.searched]).toEqual([5, 1, 5]);
    expect((await handles(index, "one")).slice(0, 2)).toEqual(["aaaaaa000004", "aaaaaa000000"]);
    const words = wordsOf("common");
    const second = await index.search(words, { from: 2, limit: 1 }, new AbortController().signal);
    expect([second.hits.length, second.found]).toEqual([1, 4]);
  },
  "what recall gave back is no original of its own, but its handle leads to it": async ({ index, stores }, expect) => {
    const copy = returned("c2", "aaaaaa000002", "1\tneedle", "recall");
    await write(stores.log, main, [started("s1"), ...returned("c1", "aaaaaa000001", "a needle"), ...copy]);
    expect(await handles(index, "needle")).toEqual(["aaaaaa000001"]);
    expect((await index.find("aaaaaa000002")).type).toBe("found");
  },
  "a long original is found by a word in its middle, one in a blob that is gone is named as missing": async (
    { index, stores },
    expect,
  ) => {
    const long = `${"filler ".repeat(200_000)}middleword${" filler".repeat(200_000)}`;
    const blob = await stores.blobs.put(main, long);
    const gone = { blob: brand<"Hash">("0".repeat(64)), chars: 10 };
    const entries = [
      ...returned("c1", "aaaaaa000001", { blob, chars: long.length }),
      ...returned("c2", "aaaaaa000002", gone),
    ];
    await write(stores.log, main, [started("s1"), ...entries]);
    const found = await search(index, "middleword");
    expect(found.hits.map(({ handle }) => handle)).toEqual(["aaaaaa000001"]);
    expect(found.partial).toBe("1 originals are missing or damaged on the disk");
    expect((await index.find("aaaaaa000002")).type).toBe("lost");
  },
  "an interrupted search says so": async ({ index, stores }, expect) => {
    await write(stores.log, main, [started("s1"), ...returned("c1", "aaaaaa000001", "alpha")]);
    const result = await index.search(["alpha"], { from: 0, limit: 10 }, AbortSignal.abort());
    expect(result.partial).toBe("interrupted");
  },
};

async function search(index: Index, words: string): Promise<Searched> {
  return await index.search(wordsOf(words), { from: 0, limit: 10 }, new AbortController().signal);
}

async function handles(index: Index, words: string): Promise<readonly string[]> {
  return (await search(index, words)).hits.map(({ handle }) => handle);
}

type Output = Extract<EntryBody, { readonly type: "tool-returned" }>["output"];

function returned(id: string, handle: string, output: Output, tool = "Bash"): readonly EntryBody[] {
  const callId = brand<"CallId">(id);
  const input = JSON.stringify({ command: `frobnicate --about ${id}` });
  return [
    {
      type: "response-received",
      request: brand(`r-${id}`),
      wire: "anthropic",
      model: "m",
      messageId: `m-${id}`,
      blocks: [{ type: "tool-call", callId, tool, input }],
      stop: "tool-use",
      usage: null,
      firstTokenMs: null,
      report: null,
    },
    {
      type: "tool-returned",
      callId,
      tool,
      ending: "done",
      output,
      handle: brand(handle),
      exitCode: 0,
      files: [],
      images: [],
    },
  ];
}
