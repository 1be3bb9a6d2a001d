import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { createMask, type Mask } from "../../src/secrets/mask.ts";
import { secretValues } from "../../src/secrets/secret-values.ts";

const env = { PROVIDER_KEY: "TESTKEY-9", TOKEN: "TESTKEY-8", PATH: "/usr/bin:/bin", HOME: "/home/me" };
const mask = createMask({ values: secretValues(env, []), shapes: "masked" });

const streamed = (by: Mask, parts: readonly string[]): string => {
  const stream = by.stream();
  return parts.map(stream.push).join("") + stream.end();
};

describe("C-127 · a secret of the environment is masked by its variable's name", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["as it is", "key=TESTKEY-9;", "key=[secret: PROVIDER_KEY];"],
    [
      "twice, and another one",
      "TESTKEY-9 TESTKEY-9 TESTKEY-8",
      "[secret: PROVIDER_KEY] [secret: PROVIDER_KEY] [secret: TOKEN]",
    ],
    ["split by colours", "TEST\x1b[31mKEY\x1b[0m-9!", "[secret: PROVIDER_KEY]!"],
    ["split by a title", "TEST\x1b]0;title\x07KEY-9!", "[secret: PROVIDER_KEY]!"],
    ["wrapped", "TEST\nKEY-9\nnext", "[secret: PROVIDER_KEY]\n\nnext"],
    ["wrapped with CRLF", "TESTK\r\nEY-9\r\nnext", "[secret: PROVIDER_KEY]\n\r\nnext"],
    ["with characters nobody sees", "TEST\u200bKEY\0-9", "[secret: PROVIDER_KEY]"],
    ["in UTF-16 that was read as bytes", [..."TESTKEY-9"].join("\0"), "[secret: PROVIDER_KEY]"],
    ["right behind its own beginning", "TESTTESTKEY-9", "TEST[secret: PROVIDER_KEY]"],
  ];
  test.each(rows)("%s", (_, text, want) => {
    expect(mask.text(text)).toBe(want);
  });

  test("in base64, whatever stands before it", () => {
    for (const before of ["", "m", "me", "me:", "user"])
      expect(mask.text(btoa(`${before}TESTKEY-9 and more`))).toContain("[secret: PROVIDER_KEY]");
  });

  test("not over an empty line, and not without its last character", () => {
    for (const text of ["TEST\n\nKEY-9", "TESTKEY-", "TESTKEY", "ESTKEY-9"]) expect(mask.text(text)).toBe(text);
  });

  test("percent-encoded and JSON-escaped", () => {
    const strange = createMask({ values: secretValues({ API_KEY: 'a"b c/d+e=f' }, []), shapes: "masked" });
    expect(strange.text(JSON.stringify({ k: 'a"b c/d+e=f' }))).toBe('{"k":"[secret: API_KEY]"}');
    expect(strange.text(`?k=${encodeURIComponent('a"b c/d+e=f')}&x`)).toBe("?k=[secret: API_KEY]&x");
  });
});

describe("what counts as a secret", () => {
  test("numbers, switches, paths, addresses, words and short texts do not", () => {
    const plain = {
      A_TOKEN: "short",
      MAX_TOKENS: "128000000",
      AUTH: "disabled",
      AUTH_ENABLED: "true",
      SSH_KEY: "/home/me/.ssh/id_ed25519",
      KEY_FILE: "~/keys/main.pem",
      AUTH_URL: "https://login.example.org/oauth",
      SECRET: "aaaaaaaaaaaa",
      KEYBOARD: "TESTKEY-7",
      PASSWORD: "password123",
    };
    expect(secretValues(plain, [])).toEqual([]);
  });

  test("law 10 · how many there are, how short and how long one is, is bounded", () => {
    const many = Object.fromEntries(
      Array.from({ length: bounds.secretsMax + 9 }, (_, at) => [`A_TOKEN_${at}`, `value-X${at}Y`]),
    );
    expect(secretValues(many, [])).toHaveLength(bounds.secretsMax);
    const sized = (chars: number) => "aB3-".repeat(chars).slice(0, chars);
    for (const [chars, count] of [
      [bounds.secretCharsMin - 1, 0],
      [bounds.secretCharsMin, 1],
      [bounds.secretCharsMax, 1],
      [bounds.secretCharsMax + 1, 0],
    ] as const)
      expect(secretValues({ A_TOKEN: sized(chars) }, [])).toHaveLength(count);
  });

  test("provider keys do wherever they came from, and passwords inside addresses", () => {
    const values = secretValues({ DATABASE_URL: "postgres://me:hunter2-long@db/x", PLAIN: "given-Key-1" }, [
      "given-Key-1",
      "other-Key-2",
    ]);
    expect(values).toEqual([
      { name: "PLAIN", value: "given-Key-1" },
      { name: "provider key", value: "other-Key-2" },
      { name: "DATABASE_URL", value: "hunter2-long" },
    ]);
  });
});

const letters = (n: number) => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA".repeat(8).slice(0, n);
// Put together here, so that nobody's scanner takes this file for a leak.
const tokens: readonly (readonly [string, string])[] = [
  ["aws key id", `AK${"IA"}QWERTYUIOPASDFGH`],
  ["github token", `gh${"p_"}${letters(36)}`],
  ["github token", `github_${"pat_"}${letters(22)}_${letters(59)}`],
  ["gitlab token", `glp${"at-"}${letters(20)}`],
  ["slack token", `xo${"xb-"}123456789012-${letters(24)}`],
  ["google api key", `AI${"za"}${letters(35)}`],
  ["anthropic key", `sk-${"ant-"}api03-${letters(40)}`],
  ["openai key", `sk-${"proj-"}${letters(40)}`],
  ["openai key", `sk-${letters(48)}`],
  ["stripe key", `sk_${"live_"}${letters(24)}`],
  ["npm token", `np${"m_"}${letters(36)}`],
  ["hugging face token", `h${"f_"}${letters(34)}`],
  [
    "json web token",
    `${btoa('{"alg":"HS256"}').replaceAll("=", "")}.${btoa('{"sub":"123456"}').replaceAll("=", "")}.${letters(43)}`,
  ],
];

describe("tokens known by their shape", () => {
  test.each(tokens)("%s", (name, token) => {
    expect(mask.text(`x = "${token}"\n`)).toBe(`x = "[secret: ${name}]"\n`);
    expect(mask.text(`${token.slice(0, 9)}\x1b[1m${token.slice(9)}`)).toBe(`[secret: ${name}]`);
    for (let at = 1; at < token.length; at += 1)
      expect(streamed(mask, [`a ${token.slice(0, at)}`, `${token.slice(at)} b`])).toBe(`a [secret: ${name}] b`);
  });

  test("headers and addresses keep what is not the secret", () => {
    expect(mask.text(`curl -H "Authorization: Bearer ${letters(30)}" x`)).toBe(
      'curl -H "Authorization: Bearer [secret: authorization]" x',
    );
    expect(mask.text(`{"authorization":"Basic ${letters(30)}=="}`)).toBe(
      '{"authorization":"Basic [secret: authorization]"}',
    );
    expect(mask.text("git clone https://me:s3cr3t-pw@host/x")).toBe(
      "git clone https://me:[secret: password in an address]@host/x",
    );
    expect(streamed(mask, ["authorization: ", "bearer ", letters(15), letters(30), "\n"])).toBe(
      "authorization: bearer [secret: authorization]\n",
    );
  });

  test("a private key goes whole, its lines keep their count", () => {
    const key = ["-----BEGIN RSA PRIVATE KEY-----", letters(64), letters(64), "-----END RSA PRIVATE KEY-----"].join(
      "\n",
    );
    expect(mask.text(`a\n${key}\nb`)).toBe("a\n[secret: private key]\n\n\n\nb");
    expect(mask.text(`a\n${key.slice(0, 100)}`)).toBe("a\n[secret: private key]\n\n");
    for (let at = 1; at < key.length; at += 7)
      expect(streamed(mask, [`a\n${key.slice(0, at)}`, `${key.slice(at)}\nb`])).toBe(
        "a\n[secret: private key]\n\n\n\nb",
      );
  });

  test("what only resembles one stays", () => {
    const plain = [
      "AKIAIOSFODNN7EXAMPLE",
      "task-0123456789abcdef0123456789abcdef0123",
      "npm_config_registry=https://registry.example.org",
      "sk-learn and sk-toolkit-of-many-words-in-a-row",
      "Authorization: Bearer $TOKEN",
      "Authorization: Bearer your-access-token-goes-here",
      "postgres://postgres:postgres@localhost:5432/x",
      "https://$USER:$PASSWORD@host and https://user:<password>@host",
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
      "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
      "https://host:8080/a@b",
      "sha512-abc== eyJhbGciOiJIUzI1NiJ9 alone",
    ];
    for (const text of plain) expect(mask.text(text)).toBe(text);
  });

  test("`redact: off` shows them; values of the environment stay masked", () => {
    const off = createMask({ values: secretValues(env, []), shapes: "shown" });
    expect(off.text(`${tokens[1]?.[1]} TESTKEY-9`)).toBe(`${tokens[1]?.[1]} [secret: PROVIDER_KEY]`);
  });
});

describe("a mask", () => {
  test("is found in a text by its own names only", () => {
    expect(mask.heldBy("a [secret: PROVIDER_KEY] b")).toBe("[secret: PROVIDER_KEY]");
    expect(mask.heldBy("[secret: github token]")).toBe("[secret: github token]");
    expect(mask.heldBy("[secret: NAME] [secret: ]")).toBeNull();
  });

  test("text that is no secret comes out of a stream whole, and at the end of each line at once", () => {
    const stream = mask.stream();
    expect(stream.push("Listening on port 3000\n")).toBe("Listening on port 3000\n");
    expect(stream.push("....")).toBe("....");
    expect(stream.push("45%")).toBe("45%");
    expect(stream.push("\x1b[3")).toBe("");
    expect(stream.push("1m done ") + stream.end()).toBe("\x1b[31m done ");
    expect(stream.push("see https://")).toBe("see ");
    expect(stream.push("host/x ")).toBe("https://host/x ");
  });
});

/** Letters, digits and signs as keys have them; not so uniform that it would count as common. */
const secret = fc
  .string({ unit: fc.constantFrom(...'abcDEF0123456789-_+/=.!"\\ é'), minLength: 10, maxLength: 40 })
  .map((text) => `k${text.trim()}-Z9`)
  .filter((text) => secretValues({ A_KEY: text }, []).length === 1);
const filler = fc.string({ unit: fc.constantFrom(...'kab \n\r\t\x1b31m-Z9{}"'), maxLength: 30 });
const between = fc.constantFrom("", "", "", "\x1b[0m", "\x1b[38;5;12m", "\n", "\r\n", "\0", "\x1b]8;;x\x07");

describe("for any secret", () => {
  test("whatever stands between its characters and wherever a stream is cut, none of it comes out", () => {
    fc.assert(
      fc.property(
        secret,
        filler,
        filler,
        fc.array(between, { minLength: 50, maxLength: 50 }),
        fc.array(fc.nat(200)),
        (value, before, after, gaps, cuts) => {
          const by = createMask({ values: secretValues({ A_KEY: value }, []), shapes: "masked" });
          const split = [...value].map((char, at) => char + (at === value.length - 1 ? "" : (gaps[at] ?? ""))).join("");
          const text = `${before} ${split} ${after}`;
          const parts: string[] = [];
          let from = 0;
          for (const at of [...new Set(cuts)].sort((a, b) => a - b)) {
            parts.push(text.slice(from, at));
            from = Math.max(from, at);
          }
          parts.push(text.slice(from));
          for (const out of [by.text(text), streamed(by, parts)]) {
            expect(out).toContain("[secret: A_KEY]");
            expect(by.text(out)).toBe(out);
            expect(out.split("\n").length).toBe(text.split("\n").length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("time is linear in the text", () => {
  // No clock is asserted: a quadratic search would not end within the test's limit.
  const pathological: readonly (readonly [string, string])[] = [
    ["one line of 10 MB", "x".repeat(10_000_000)],
    ["10,000 beginnings of each token", tokens.map(([, token]) => `${token.slice(0, 12)} `.repeat(10_000)).join("")],
    ["beginnings of the value", "TESTKEY-".repeat(500_000)],
    ["private keys without an end", "-----BEGIN PRIVATE KEY-----\n".repeat(10_000)],
    ["addresses without an end", `${"://a:b".repeat(100_000)} ${"://".repeat(100_000)}`],
    ["escape sequences without an end", "\x1b]0;".repeat(300_000)],
    ["header names", "authorization: bearer ".repeat(50_000)],
    ["eyJ", "eyJaaaaaaaa.".repeat(100_000) + "_eyJ".repeat(500_000)],
  ];
  test.each(pathological)(
    "%s",
    (_, text) => {
      expect(mask.text(text).length).toBeGreaterThan(0);
      const parts = Array.from({ length: Math.ceil(text.length / 65_536) }, (_, at) =>
        text.slice(at * 65_536, (at + 1) * 65_536),
      );
      expect(streamed(mask, parts).length).toBeGreaterThan(0);
    },
    20_000,
  );
});
