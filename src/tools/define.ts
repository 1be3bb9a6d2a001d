import { checkInput, type Fields, type InputOf, schemaOf } from "./fields.ts";
import type { ParsedCall, Tool } from "./tool.ts";

/** A tool from its table of fields and a plan: the checked input becomes a call, or a sentence that says what is wrong. */
export function defineTool<const F extends Fields>(options: {
  readonly name: string;
  readonly description: string;
  readonly fields: F;
  readonly readOnly: boolean;
  readonly plan: (input: InputOf<F>) => ParsedCall | string;
}): Tool {
  const { name, description, fields, readOnly, plan } = options;
  return {
    declaration: { name, description, inputSchema: schemaOf(fields) },
    readOnly,
    parse: (input) => {
      const checked = checkInput(fields, input);
      if (checked.type === "bad") return { type: "bad", why: `${name}: ${checked.why}` };
      const call = plan(checked.input);
      return typeof call === "string" ? { type: "bad", why: `${name}: ${call}` } : { type: "ok", call };
    },
  };
}
