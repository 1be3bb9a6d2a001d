import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { testWorld } from "../support/world.ts";

const systemOf = (body: string) =>
  (JSON.parse(body) as { readonly system: readonly { readonly text: string }[] }).system.map(({ text }) => text);

/** Two turns with a new date between them. */
async function overnight(assembly: "append" | "boundary") {
  const model = scriptedModel([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const world = await testWorld({ model, assembly });
  const session = await world.open();
  await session.prompt("first");
  await session.prompt("second, same day");
  world.observed = [{ key: "date", text: "2026-11-30" }];
  await session.prompt("third, next day");
  const reasons = (await world.entries()).flatMap((entry) => (entry.type === "epoch-opened" ? [entry.reason] : []));
  return { bodies: model.bodies, reasons };
}

describe("M-52 · dynamic content", () => {
  test("appended: the system text never moves, the change stands at the tail", async () => {
    const { bodies, reasons } = await overnight("append");
    expect(reasons).toEqual(["start"]);
    expect(systemOf(bodies[2] ?? "")).toEqual(systemOf(bodies[0] ?? ""));
    expect(bodies[2]).toContain("date is now: 2026-11-30");
  });

  test("rebuilt behind the boundary: each rebuild that changes bytes is a declared break, one that does not is none", async () => {
    const { bodies, reasons } = await overnight("boundary");
    expect(reasons).toEqual(["start", "sections-changed"]);
    expect(systemOf(bodies[1] ?? "")).toEqual(systemOf(bodies[0] ?? ""));
    expect(systemOf(bodies[2] ?? "").join("")).toContain("date: 2026-11-30");
    expect(bodies[2]).not.toContain("date is now");
  });

  test("the sections before the boundary are the same in both", async () => {
    const [appended, rebuilt] = await Promise.all([overnight("append"), overnight("boundary")]);
    const fixed = (bodies: readonly string[]) => systemOf(bodies[2] ?? "").slice(0, 7);
    expect(fixed(rebuilt.bodies)).toEqual(fixed(appended.bodies));
  });
});
