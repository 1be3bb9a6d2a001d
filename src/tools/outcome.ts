import type { ToolOutcome } from "./tool.ts";

const plain = { exitCode: null, files: [], images: [] } as const;

export function done(output: string, more: Partial<ToolOutcome> = {}): ToolOutcome {
  return { ...plain, ending: "done", output, form: "whole", ...more };
}

/** An expected failure: the model reads why, and what to do. */
export function failed(output: string): ToolOutcome {
  return { ...plain, ending: "failed", output, form: "output" };
}
