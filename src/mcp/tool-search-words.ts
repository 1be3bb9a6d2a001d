import { stemOf } from "../memory/retrieval-stem.ts";

/** What a tool does, as names and questions say it. */
export type Action = "read" | "create" | "update" | "delete" | "run" | "stop" | "send";

const actionWords: Readonly<Record<Action, string>> = {
  read: "get list show display view describe fetch retrieve read query find search lookup check enumerate inspect browse",
  create: "create add make provision deploy insert register generate setup launch build initialize",
  update: "update change modify edit set configure adjust alter rename patch enable disable",
  delete: "delete remove drop erase clear purge destroy uninstall revoke",
  run: "run execute start trigger invoke perform",
  stop: "stop cancel abort terminate kill pause suspend halt",
  send: "send post publish notify reply share",
};
/** A question asks to read something without a word for it. */
const asking = "what which who whom whose how where when is are";

/** Words that mean about the same to whoever asks: general ones, no names of products; some of another language. */
const groups: readonly string[] = [
  "get show retrieve fetch view display read describe load open 获取 查看",
  "list enumerate browse 列出",
  "find search lookup query locate 查询 搜索 查找",
  "create add make provision generate build insert register record remember 创建 新建 添加",
  "update change modify edit set adjust configure replace 修改 更新",
  "delete remove drop erase purge clear forget 删除",
  "run execute start invoke trigger launch 运行 执行",
  "stop cancel abort terminate halt 停止 取消",
  "send post publish 发送",
  "write save store 保存",
  "close shut",
  "go navigate visit",
  "press hit push click",
  "upload attach",
  "move rename",
  "repeat echo",
  "sum total add",
  "tree hierarchy",
  "buy purchase order",
  "book reserve reservation",
  "check verify validate test",
  "calculate compute determine",
  "convert transform translate",
  "picture image photo screenshot 图片",
  "film movie",
  "song music track",
  "hotel accommodation",
  "car vehicle",
  "money cash payment pay",
  "price cost rate",
  "weather forecast temperature 天气",
  "trip travel ride taxi",
  "house home apartment property",
  "restaurant dining eat",
  "email mail",
  "user account member 用户",
  "directory folder 目录",
  "document file 文件",
  "estimate predict forecast",
  "analyze analysis",
  "error failure problem issue",
  "secret password credential",
  "database db",
  "vm virtual",
  "info information detail",
  "location place address",
  "route direction",
  "schedule calendar appointment",
  "event concert show",
  "product item",
  "company business",
  "job task",
  "news 新闻",
];

/** Words of whoever asks, not of what is asked for. */
const weak = stems(
  `interested interest mood feel hear assist provide currently exactly today tonight specifically certain particular regarding
  possible specified following given using based able wonder curious help option available include plan`,
);

export function actionOf(words: readonly string[]): Action | null {
  for (const word of words) {
    const action = actions.get(stemOf(word));
    if (action !== undefined) return action;
  }
  return null;
}

/** What a question is after: the first word that says what is to be done, or that it asks. */
export function actionAsked(words: readonly string[]): Action | null {
  return actionOf(words.map((word) => (questions.has(word) ? "get" : word)));
}

export function isActionWord(stem: string): boolean {
  return actions.has(stem);
}

export function isWeakWord(stem: string): boolean {
  return weak.has(stem);
}

/** By stem. */
export function alikeTo(stem: string): readonly string[] {
  return alike.get(stem) ?? [];
}

const actions: ReadonlyMap<string, Action> = new Map(
  entriesOf(actionWords).flatMap(([action, words]) => [...stems(words)].map((stem) => [stem, action] as const)),
);
const questions: ReadonlySet<string> = new Set(asking.split(" "));

const alike: ReadonlyMap<string, readonly string[]> = alikeIn(groups.map((group) => [...stems(group)]));

function alikeIn(all: readonly (readonly string[])[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const group of all)
    for (const stem of group) {
      const others = found.get(stem) ?? new Set();
      for (const other of group) if (other !== stem) others.add(other);
      found.set(stem, others);
    }
  return new Map([...found].map(([stem, others]) => [stem, [...others]]));
}

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).map(stemOf));
}

function entriesOf(record: Readonly<Record<Action, string>>): readonly (readonly [Action, string])[] {
  const order: readonly Action[] = ["read", "create", "update", "delete", "run", "stop", "send"];
  return order.map((action) => [action, record[action]]);
}
