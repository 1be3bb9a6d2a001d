import { stemOf } from "./retrieval-stem.ts";

/** Words that programs use for the one that a question uses: general ones of the trade, no names of products or libraries. */
export function relatedTo(term: string): readonly string[] {
  return related.get(term) ?? [];
}

/** What is asked for, and how code says it. */
const rows: readonly (readonly [string, string])[] = [
  ["create construct instantiate build make initialize instance", "new init constructor create builder build make"],
  ["constructor", "new init create"],
  ["retrieve obtain fetch access return", "get"],
  ["number count amount", "size count len length num"],
  ["size length", "size length len count"],
  ["remove delete clear drop", "remove delete clear erase drop"],
  ["verify check validate ensure", "assert expect check verify"],
  ["exception error fail failure", "throw exception error raise err fail"],
  ["throw raise", "throw raise exception error"],
  ["parameter argument", "param arg parameter"],
  ["option configure configuration setting specify", "option config opt set with"],
  ["compare comparison equality equal", "equal eq compare cmp"],
  ["convert conversion transform", "into convert"],
  ["print display show output", "print fmt format display write"],
  ["inherit extend derive implement", "extend implement"],
  ["package", "namespace module"],
  ["library dependency", "import include require"],
  ["member attribute property", "field attr member"],
  ["destroy destruction cleanup close", "destroy close drop delete free"],
  ["iterate loop", "iter next iterator"],
  ["add append insert", "add append push insert put"],
  ["start begin launch run", "start run begin execute spawn"],
  ["stop end cancel terminate", "stop cancel close abort end kill"],
  ["store save persist", "save store write put"],
  ["load read parse", "load read parse"],
  ["search find look", "find search lookup"],
  ["change modify update", "set update modify"],
  ["wait", "sleep await join"],
  ["receive", "recv read"],
  ["message", "msg"],
  ["directory folder", "dir directory"],
  ["string text", "str string text"],
  ["integer", "int"],
  ["character", "char"],
  ["boolean", "bool"],
  ["dictionary map", "map dict"],
  ["environment", "env"],
  ["command", "cmd"],
];

const related: ReadonlyMap<string, readonly string[]> = new Map(
  rows.flatMap(([asked, used]) =>
    asked.split(" ").map((word) => {
      const others = used
        .split(" ")
        .map(stemOf)
        .filter((other) => other !== stemOf(word));
      return [stemOf(word), [...new Set(others)]] as const;
    }),
  ),
);
