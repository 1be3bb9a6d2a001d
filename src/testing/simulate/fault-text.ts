import { type Fault, readFault } from "./faults.ts";

const form = /^([a-z][a-z-]*?)(?::(\d+))?(?:@(\d+))?(?:x(\d+))?(\/summary)?$/;

/**
 * A fault in one word, `KIND[:value][@skip][xTimes][/summary]`, as in `overloaded@2x3`, or `too-longx2/summary` for what strikes
 * requests for a summary only; a text says what is wrong with it.
 */
export function parseFault(text: string): Fault | string {
  const [whole, kind, value, skip, times, only] = form.exec(text) ?? [];
  if (whole === undefined) return `a fault is KIND[:value][@skip][xTimes][/summary], not ${JSON.stringify(text)}`;
  return readFault({
    kind,
    ...(value === undefined ? {} : { value: Number(value) }),
    ...(skip === undefined ? {} : { skip: Number(skip) }),
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(only === undefined ? {} : { when: { summary: true } }),
  });
}
