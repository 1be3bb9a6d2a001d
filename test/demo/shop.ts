import { join } from "node:path";
import { commandIn } from "./command.ts";
import type { Outcome } from "./fake-tools.ts";
import { filesBelow } from "./files-below.ts";

export const shop = join(import.meta.dirname, "../../examples/shop");

export function shopFiles(): Map<string, string> {
  return filesBelow(shop);
}

/** The sample's commands over files in memory: its tests are played, as far as the brain reads them; the rest is run. */
export function shellOver(files: Map<string, string>): (command: string) => Outcome {
  return (command) => {
    if (command.startsWith("npx vite build")) return { text: "[no output]", isError: false };
    const tests = /^npx vitest run ?(.*)$/.exec(command);
    return tests === null ? commandIn(files, command) : playedTests(files, tests[1] ?? "");
  };
}

type Played = { readonly passed: number; readonly failed: readonly string[] };

/** What each test file says about the files as they are. */
const suites: Readonly<Record<string, (text: (path: string) => string) => Played>> = {
  "tests/api.test.ts": (text) => {
    const asks = text("tests/api.test.ts").includes("ApiError(402");
    return outcome(
      asks ? 16 : 15,
      asks && !text("src/api.ts").includes("status === 402") ? ["payment was refused"] : [],
    );
  },
  "tests/cart.test.ts": () => outcome(11, []),
  "tests/login.test.tsx": (text) => {
    const validation = text("src/login/validateLogin.ts");
    if (!text("src/App.tsx").includes("<LoginPage")) return outcome(25, Array(25).fill("a test of the login page"));
    return outcome(25, validation.includes("_+-]") ? [] : ["ada+shop@example.org is an address 1012ms"]);
  },
  "tests/money.test.ts": (text) => outcome(text("tests/money.test.ts") === "" ? 0 : 6, []),
  "tests/orders.test.ts": (text) => {
    const asked = text("tests/orders.test.ts").match(/a refused payment g|whoever comes after/g) ?? [];
    const isMended = text("server/orders.ts").includes('=== "refused") {');
    return outcome(4 + asked.length, isMended ? [] : asked);
  },
  "tests/shop.test.tsx": () => outcome(8, []),
  "tests/structure.test.ts": (text) =>
    outcome(5, text("src/format.ts").includes("money(cents") ? ["a price", "a cent", "whoever needs money"] : []),
  "tests/wishlist.test.tsx": (text) => {
    if (!text("src/App.tsx").includes("<WishesPage")) return outcome(12, Array(12).fill("a test of the wish list"));
    return outcome(12, text("src/wishes/wishes.ts").includes("[...wishes,") ? ["the newest first"] : []);
  },
};

function outcome(all: number, failed: readonly string[]): Played {
  return { passed: all - failed.length, failed };
}

function playedTests(files: ReadonlyMap<string, string>, filters: string): Outcome {
  const wanted = filters
    .replace(/ ?-t ".*"| ?--\S+/g, "")
    .split(" ")
    .filter((word) => word !== "");
  const there = Object.keys(suites).filter((name) => files.has(name));
  const names = there.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  const played = names.flatMap((name) => suites[name]?.((path) => files.get(path) ?? "") ?? []);
  const failed = played.flatMap((one) => one.failed);
  const passed = played.reduce((sum, one) => sum + one.passed, 0);
  const counts = failed.length === 0 ? `${passed} passed` : `${failed.length} failed | ${passed} passed`;
  // As long as the real output of so many failures.
  const lines = failed.flatMap((name) => [`   × ${name}`, ...Array(15).fill("       at a line of the page")]);
  const text = [...lines, ` Tests  ${counts} (${failed.length + passed})`].join("\n");
  return { text, isError: failed.length > 0 };
}
