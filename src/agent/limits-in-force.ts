import type { State } from "../log/state.ts";
import type { Limited } from "../workspace/permission-limits.ts";

/**
 * What skills and commands say of tools now: each for the turn it was called in. That the model declares a skill finished lifts
 * nothing before the user's next word: it could end its own limit.
 */
export function limitsInForce({ attached, turns }: Pick<State, "attached" | "turns">): readonly Limited[] {
  return Object.values(attached).flatMap(({ kind, name, source, limits, usedTurn }) => {
    if (limits === undefined || usedTurn < turns) return [];
    const { grants, ...said } = limits;
    return [{ name: kind === "command" ? `/${name}` : `${kind} ${name}`, file: source, limits: said, grants }];
  });
}
