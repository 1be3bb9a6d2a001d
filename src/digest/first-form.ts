import { cleaned } from "./clean.ts";
import { cut } from "./cut.ts";
import type { FirstForm, FormInput, FormRules } from "./form.ts";
import { limitOf, wholeBytesMax } from "./limits.ts";
import { fitsBytes, lineEnded, utf8Bytes } from "./text.ts";

/**
 * How a result enters the prompt. Up to `limitBytes` the text is the original, byte for byte (CASES C-063), but for terminal
 * codes, which are left out of `output`. Above it whole lines are chosen, by what the text is and what was asked, with notes
 * that say what is left out and the handle that brings it back. A form is held under its cap in *estimated tokens* too, since
 * digits and symbols cost more than four bytes to a token. Linear in the text; no vocabulary is loaded. Never larger than the
 * original, but for the line that says a failing exit code.
 */
export function firstForm(input: FormInput): FirstForm {
  const { text, form } = input;
  if (form === "whole") return { whole: true, text };
  const body = (fitsBytes(text, limitOf(input)) ? null : cut(input)) ?? uncut(input);
  const said = withExitCode(isSmaller(body, text) ? body : text, input.exitCode);
  return { whole: said === text, text: said };
}

/** Own rules first, by the tool's name or its server's; a rule that throws or makes the text larger is as none. */
export function firstFormBy(rules: FormRules): (input: FormInput) => FirstForm {
  return (input) => {
    const made = ruleFor(rules, input.tool)?.(input) ?? null;
    if (made === null || !isSmaller(made.text, input.text)) return firstForm(input);
    const said = withExitCode(made.text, input.exitCode);
    return { whole: said === input.text, text: said };
  };
}

/** Bytes up to which a result is shown as it is. */
export function limitBytes(form: "range" | "output"): number {
  return wholeBytesMax[form];
}

/** The line by which a result says a failing exit code; tools end their output with it. */
export function exitCodeLine(exitCode: number): string {
  return `[exit code ${exitCode}]`;
}

function isSmaller(body: string, text: string): boolean {
  return body !== text && (body.length * 3 < text.length || utf8Bytes(body) <= utf8Bytes(text));
}

function uncut(input: FormInput): string {
  const shown = input.form === "output" ? cleaned(input.text) : input.text;
  return shown === input.text ? shown : `${lineEnded(shown)}[terminal codes left out; recall handle=${input.handle}]`;
}

function withExitCode(text: string, exitCode: number | null): string {
  if (exitCode === null || exitCode === 0 || text.includes(exitCodeLine(exitCode))) return text;
  return lineEnded(text) + exitCodeLine(exitCode);
}

/** `mcp__server__tool`: what is said for the tool wins over what is said for its server. */
function ruleFor(rules: FormRules, tool: string): FormRules[string] | undefined {
  if (Object.hasOwn(rules, tool)) return rules[tool];
  const server = /^mcp__(.+?)__/.exec(tool)?.[1];
  return server !== undefined && Object.hasOwn(rules, server) ? rules[server] : undefined;
}
