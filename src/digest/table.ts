import { type Judge, must } from "./form.ts";

/** The header makes rows readable; of the rows those that bring something new. */
export function tableJudge(): Judge {
  let rows = 0;
  return (line) => {
    if (line.trim() === "") {
      rows = 0;
      return 0.05;
    }
    rows += 1;
    const isRule = /^[\s|:+=-]+$/.test(line);
    return rows === 1 || (rows === 2 && isRule) ? must : 1;
  };
}
