import { stemOf } from "./retrieval-stem.ts";

/** How much a word of a message says of what it is about: 0 for what stands in any sentence, less for what stands in any task. */
export function weightOf(term: string): number {
  if (empty.has(term)) return 0;
  if (/^\p{N}+$/u.test(term)) return numberWeight;
  if (term.length === 1 && /^[a-z]$/.test(term)) return 0;
  return common.has(term) ? commonWeight : 1;
}

const commonWeight = 0.35;
const numberWeight = 0.5;

const stems = (words: string): ReadonlySet<string> =>
  new Set(words.split(/\s+/).flatMap((word) => [word, stemOf(word)]));

const empty =
  stems(`a an the this that these those it its i me my mine you your yours we us our ours he she they them their
  is are was were be been being am do does did done doing have has had having will would shall should can could may might must
  and or but if then else so because as at by for from in into of on onto off out over under to up down with without about after
  before again than too very just only also not no nor yes ok okay here there where when what which who whom whose why how all
  any both each few more most other some such own same s t d ll re ve m don didn doesn isn aren wasn won let lets please thanks
  thank hi hello hey now still yet ever never always really quite maybe perhaps get gets got getting go goes going gone come
  comes make makes made making want wants wanted need needs needed like likes know think see look looks looking try tries tried
  say says said tell told give gives given take takes took put puts keep keeps kept thing things something anything nothing
  everything one two way ways lot bit much many well good better best new old first last next back right left
  我们 你们 他们 这个 那个 什么 怎么 一个 可以 一下 请帮 帮我 需要 为什 么要 没有 现在 如何 这里 是什 吗 了 的 是 在 我 你 请 下`);

const common =
  stems(`add adds added fix fixes fixed change changes changed update updates updated use uses used using work works
  working write writes writing written create creates created remove removes removed delete find finds found show shows run runs
  running start starts started stop check checks set sets help code file files function functions class method line lines project
  app application error errors problem problems issue issues bug bugs feature page part name value type test tests testing build
  call calls called implement refactor rename move explain review question answer example simple whole current different user
  users time today data list number text read open close question sure kind fine able instead every while during version versions order install newest
  代码 文件 问题 修改 修复 添加 实现 测试 项目 使用 函数 运行 更新 删除`);
