import type { Background } from "../ports/background.ts";
import type { Fs } from "../ports/fs.ts";
import type { Index } from "../ports/index-port.ts";
import type { Memory } from "../ports/memory.ts";
import type { ProjectIndex } from "../ports/project-index.ts";
import type { FindProgram, Shell } from "../ports/shell.ts";
import type { Mask } from "../secrets/mask.ts";
import type { Boundary } from "../workspace/boundary.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { multiEditTool } from "./multi-edit.ts";
import { enterPlanModeTool, exitPlanModeTool } from "./plan-mode.ts";
import { readTool } from "./read.ts";
import { readMemoryTool } from "./read-memory.ts";
import { recallTool } from "./recall.ts";
import { rememberTool } from "./remember.ts";
import { rememberFactTool } from "./remember-fact.ts";
import { searchTool } from "./search.ts";
import { skillTool } from "./skill.ts";
import { taskOutputTool, taskStopTool } from "./task.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { Tool } from "./tool.ts";
import { type Web, webFetchTool } from "./web-fetch.ts";
import { type SearchServer, webSearchTool } from "./web-search.ts";
import { writeTool } from "./write.ts";

/** By name in code-unit order, the same at every start: their bytes are the beginning of every prompt (CASES C-031). */
export function builtinTools(ports: {
  readonly fs: Fs;
  readonly shell: Shell;
  readonly background: Background;
  readonly findRipgrep: FindProgram;
  readonly boundary: Boundary;
  readonly mask?: Mask;
  readonly index: Index;
  readonly project: ProjectIndex;
  readonly web: Web;
  /** null: none is configured, and the tool is not declared. */
  readonly search: SearchServer | null;
  /** null: the user wants none. */
  readonly memory: Memory | null;
}): readonly Tool[] {
  const { web, search, memory } = ports;
  return [
    bashTool(ports),
    editTool(ports),
    enterPlanModeTool(),
    exitPlanModeTool(),
    globTool(ports),
    grepTool(ports),
    multiEditTool(ports),
    readTool(ports),
    ...(memory === null ? [] : [readMemoryTool({ memory }), rememberTool({ memory })]),
    rememberFactTool(),
    searchTool(ports),
    skillTool(),
    taskOutputTool(ports),
    taskStopTool(ports),
    todoWriteTool(),
    webFetchTool(web),
    ...(search === null ? [] : [webSearchTool({ http: web.http, search })]),
    writeTool(ports),
    recallTool(ports),
  ];
}
