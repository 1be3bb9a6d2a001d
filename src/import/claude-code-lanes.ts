import { stringAt } from "../provider/lenient.ts";
import type { Raw } from "./record.ts";

/**
 * Whose line it is. Sub-agents have ids; older versions only mark their lines, in the main file, each sub-agent a tree of
 * its own.
 */
export function claudeCodeLanes() {
  const lanes = new Map<string, string>();
  let newest = "";
  let count = 0;
  const unnamed = (record: Raw, uuid: string): string => {
    const parent = stringAt(record, "parentUuid");
    // Lines are taken out of logs: an unknown parent is no new agent.
    let lane = lanes.get(parent) ?? (parent === "" ? "" : newest);
    if (lane === "") {
      count += 1;
      lane = count === 1 ? "sidechain" : `sidechain-${count}`;
    }
    newest = lane;
    if (uuid !== "") lanes.set(uuid, lane);
    return lane;
  };
  return {
    laneOf: (record: Raw, uuid: string): string => {
      if (record.isSidechain !== true) return "main";
      return stringAt(record, "agentId") || unnamed(record, uuid);
    },
  };
}
