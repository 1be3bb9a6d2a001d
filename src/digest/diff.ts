import { type Judge, must } from "./form.ts";

/** Which files, where in them, what is changed; the lines around changes last. */
export function diffJudge(): Judge {
  return (line) => {
    if (files.test(line)) return must;
    if (dull.test(line)) return 0.1;
    if (hunk.test(line)) return 1.5;
    const sign = line.charCodeAt(0);
    if (sign === 0x2b || sign === 0x2d) return line.trim().length > 2 ? 1.5 : 0.1;
    return sign === 0x20 ? 0.5 : 1;
  };
}

const files = /^(?:diff --git |rename (?:from|to) |new file mode|deleted file mode|Binary files |commit [0-9a-f]{7})/;
const dull = /^(?:index [0-9a-f]+\.\.|--- |\+\+\+ |similarity index)/;
const hunk = /^@@ /;
