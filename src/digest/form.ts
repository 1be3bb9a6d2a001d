import type { Handle } from "../kernel/ids.ts";

/** A result as it will enter the prompt. `whole` means the text is the original itself and needs no handle. */
export type FirstForm = { readonly whole: boolean; readonly text: string };

export type FormInput = {
  readonly tool: string;
  readonly text: string;
  readonly exitCode: number | null;
  readonly form: "range" | "output" | "whole";
  readonly handle: Handle;
};
