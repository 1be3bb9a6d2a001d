import type { Judge } from "./form.ts";

/** Code and text with structure: declarations and headings, then all that names something; closing brackets tell nothing. */
export function sourceJudge(): Judge {
  return (line) => {
    const code = line.replace(lineNumber, "");
    if (declared.test(code)) return 1.6;
    if (message.test(code)) return 1.8;
    return /^[\s{}()[\];,]*$/.test(code) ? 0.05 : 1;
  };
}

const lineNumber = /^\s*\d+(?:→|\t|: | \| )/;

/** What the program says: people look for it, and it is unlike any other line. */
const message = /["'`][^"'`]*[a-zA-Z]{2} [^"'`]*["'`]/;

const declared =
  /^\s*(?:(?:export|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|default|override|unsafe|inline|const|open|sealed) )*(?:function\*?|func(?: \([^)]*\))?|class|interface|type|struct|enum|trait|impl|def|defp?|defmodule|fn|module|package|namespace|record|object|test|it|describe|fun|sub) ?[\w$("'`]|^#{1,6} \S|^\s*@\w+/;
