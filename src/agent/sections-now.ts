import type { State } from "../log/state.ts";
import type { SystemSection } from "../prompt/doc.ts";
import { type Assembly, dynamicSections } from "../prompt/sections.ts";
import { isInForce } from "./attach.ts";

/** What would stand behind the boundary if the epoch were opened now. */
export function sectionsNow(state: State, assembly: Assembly): readonly SystemSection[] {
  const { mode, verbosity, observed, attached } = state;
  // Our own words, short enough to stand in the entry itself.
  const own = Object.values(attached).flatMap((one) =>
    one.side === "system" && typeof one.text === "string" && isInForce(one, state)
      ? [{ name: `${one.kind} ${one.name}`, text: one.text }]
      : [],
  );
  return dynamicSections({ mode, verbosity, observed, assembly, own });
}
