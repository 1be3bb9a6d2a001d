import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { noFacts } from "../../src/log/facts.ts";
import { proposals, rulesIn } from "../../src/memory/fact-proposals.ts";
import { factIdOf } from "../../src/memory/facts.ts";

describe("a message that states a rule is proposed by its own words", () => {
  test.each([
    "Always run the tests before you commit",
    "always use pnpm, not npm",
    "Never push to main.",
    "Never ever commit secrets!",
    "Please never edit generated files",
    "Don't ever touch the migrations folder",
    "do not ever delete user data",
    "Please don't run git push without asking me",
    "You must not add new dependencies",
    "Public functions must not throw",
    "The API key must never be logged",
    "All commits must be signed",
    "Every new endpoint must have a test.",
    "From now on, answer in German",
    "From now on use tabs instead of spaces",
    "Use tabs from now on",
    "Going forward, write commit messages in the imperative",
    "Prefer composition over inheritance",
    "I prefer named exports over default exports",
    "We prefer Vitest to Jest",
    "In this project, always use `const` where you can",
    "Important: never rebase shared branches",
    "Make sure you always run `npm test` first thing after a change",
    "You should never use `any`",
    "Tests should always be deterministic",
    "Under no circumstances may you delete the database",
    "Force pushes are forbidden",
    "You are not allowed to edit files under vendor/",
    "When you write SQL, always use parameters",
    "must not use lodash",
    "Must never log passwords",
    "You're not allowed to use the network",
    "It's important that you never commit .env files",
    "Only use the standard library from now on",
    "- Never use default exports",
    "1. Always use strict mode",
  ])("%s", (message) => {
    const bare = message.replace(/^(?:- |1\. )/, "");
    expect(rulesIn(message).map((rule) => rule.replace(/[.!]$/, ""))).toEqual([bare.replace(/[.!]$/, "")]);
  });

  test.each([
    "请始终使用 TypeScript 严格模式",
    "不要修改 migrations 目录",
    "请不要提交到 main 分支。",
    "必须先写测试再写代码",
    "禁止使用 any 类型",
    "严禁在日志里打印密码",
    "以后都用中文回答",
    "以后不要再用 npm 了，用 pnpm",
    "从现在起所有提交信息用英文",
    "从今以后，一律使用 4 个空格缩进",
    "今后请统一用单引号",
    "千万不要删除生产数据库",
    "绝对不要强制推送",
    "永远不要直接改生成的文件",
    "所有函数都必须有类型注解",
    "任何接口不得返回 null",
    "优先使用组合而不是继承",
    "代码必须通过 lint 检查",
    "务必在提交前运行测试",
    "不要用 npm，用 pnpm",
    "别用 any 类型",
    "注释必须用英文",
    "用户名不得超过 20 个字符",
    "在这个项目里，不要引入新的依赖",
    "另外，回复一律用简体中文",
  ])("%s", (message) => {
    expect(rulesIn(message).map((rule) => rule.replace(/。$/, ""))).toEqual([message.replace(/。$/, "")]);
  });

  test("several of them, among other words, each by itself and verbatim", () => {
    const message = [
      "Hi! The login page is broken, please fix it.",
      "Never touch `src/legacy`. Thanks!",
      "",
      "还有：以后都用 pnpm。谢谢",
    ].join("\n");
    expect(rulesIn(message)).toEqual(["Never touch `src/legacy`.", "还有：以后都用 pnpm。"]);
    for (const rule of rulesIn(message)) expect(message).toContain(rule);
  });
});

describe("what is no rule is not proposed", () => {
  test.each([
    // Questions.
    "Should I always use const?",
    "Why must tests never share state?",
    "do you always run the tests",
    "Is it true that you must not use eval?",
    "Can we never use default exports",
    "How come it never works",
    "为什么不要用 any？",
    "要不要加一个缓存",
    "是不是必须先登录",
    "必须先登录吗",
    // Tales.
    "It always fails on CI",
    "The test never passes",
    "Never mind",
    "never mind, I found it",
    "Always happy to help",
    "Never heard of it before",
    "Always returns null when the list is empty",
    "This must be a race condition",
    "The bug must be in the parser",
    "He must not have seen the message",
    "We never got this to work",
    "I have always liked this library",
    "它总是失败",
    "总是报错，帮我看看",
    "我不得不重启服务器",
    "不要紧",
    "以后再说",
    "我必须承认这个设计不错",
    "服务器返回禁止访问",
    "禁止访问",
    // For once.
    "Don't run the tests this time",
    "For now, never mind the linter",
    "Fix the login bug",
    "You must fix the bug in login.ts now",
    "Use tabs in this file",
    "Don't touch the README",
    "Please do not edit that file",
    "From now on it crashes whenever I start it",
    "Always the same error",
    "It should never happen",
    "that must not happen again",
    "You can never be too careful",
    "we should always have done that",
    "Add a check that users must never see drafts",
    "Never: what a mess",
    "这个 bug 始终存在",
    "你必须修复这个 bug",
    "I'd prefer if you did it differently",
    "这次不要跑测试",
    "先不要改代码",
    "现在不要提交",
    "暂时禁止这个功能",
    "你必须马上修好这个问题",
    // Others' words.
    'The docs say "never use eval"',
    "The README says you must not use eval",
    "> Never push to main",
    "“Always use tabs” is what the linter wants",
    "The error message is that you must not call hooks conditionally",
    "Error: you must not call this twice",
    "[WARN] You must never see this",
    "2026-11-29T10:00:00 you must not pass null",
    "TypeError: keys must not be empty",
    "My boss told me that we should never deploy on Fridays",
    "文档里说不要用 eval",
    "他说「不要用 any」",
    "报错：必须先登录",
    // Not sure.
    "I think you should never use inheritance",
    "Maybe we should always use strict mode",
    "You don't always have to run the tests",
    "It is not always wrong",
    // Code.
    "`never use this`",
    "// Always return early",
    "    always do this",
    "throw new Error('must never happen');",
    "if (always) never();",
    "Access is forbidden",
    "",
    "...",
  ])("%s", (message) => {
    expect(rulesIn(message)).toEqual([]);
  });

  test("nor what stands in a fence, in tags or in a table", () => {
    for (const message of [
      "Look:\n```md\nAlways use tabs\nNever use spaces\n```\nwhat is wrong there",
      "~~~\nNever push\nNever push to main\n~~~",
      "<rules>\nNever push to main\n</rules>",
      "| rule |\n|---|\n| Never push to main |",
      "diff --git a/x b/x\n+++ b/x\n+ Never push to main;",
    ])
      expect(rulesIn(message)).toEqual([]);
  });

  test("nor a sentence longer than a fact may be", () => {
    const message = `Never ${"touch this folder and ".repeat(40)}run`;
    expect(proposals(noFacts, rulesIn(message), "user")).toEqual([]);
  });
});

test("of one message so many are proposed and no more, and only its beginning is looked through", () => {
  const many = Array.from({ length: 30 }, (_, at) => `Never use library number ${at}`).join("\n");
  expect(rulesIn(many)).toHaveLength(bounds.factsPerMessageMax);
  expect(rulesIn(`${"word ".repeat(bounds.factMessageCharsMax / 5)}\nNever push to main`)).toEqual([]);
});

test("what is in force, waits or was refused is not proposed again, however it is written", () => {
  const entry = { type: "fact-proposed", fact: factIdOf("Never push"), text: "Never push", by: "user" };
  expect(proposals(noFacts, ["Never push", "never  PUSH!"], "user")).toEqual([entry]);
  const id = factIdOf("never push.");
  const fact = { id, text: "Never push" };
  expect(
    proposals({ ...noFacts, active: [{ ...fact, scope: "session", from: "elsewhere" }] }, ["never push"], "agent"),
  ).toEqual([]);
  expect(proposals({ ...noFacts, proposed: [{ ...fact, by: "user" }] }, ["never push"], "agent")).toEqual([]);
  expect(proposals({ ...noFacts, refused: [id] }, ["Never push!"], "user")).toEqual([]);
});

test("hostile text costs no more than its length", () => {
  for (const text of [
    "a ".repeat(9_000),
    "always ".repeat(2_800),
    '"'.repeat(19_000),
    "“".repeat(19_900),
    `${"「".repeat(19_900)}」`,
    `${".".repeat(19_900)}a`,
    `必须${".".repeat(19_900)}a`,
    `必须${"，".repeat(19_900)}a`,
    "不".repeat(19_000),
    "in x, ".repeat(3_000),
    "must not ".repeat(2_000),
  ])
    expect(rulesIn(text).length).toBeLessThanOrEqual(bounds.factsPerMessageMax);
});
