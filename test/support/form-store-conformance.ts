import { expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import type { FormStore } from "../../src/prompt/segment.ts";

/** What every `FormStore` must do. */
export function formStoreConformance(name: string, open: () => FormStore): void {
  test(`${name} · an unknown chain has no form`, async () => {
    expect(await open().get(hashOf("x"))).toBeNull();
  });

  test(`${name} · the first writer decides the form, and every later one is told it`, async () => {
    const store = open();
    const chain = hashOf("x");
    const told = await Promise.all([store.putIfAbsent(chain, "first"), store.putIfAbsent(chain, "second")]);
    expect(new Set(told).size).toBe(1);
    expect(await store.putIfAbsent(chain, "third")).toBe(told[0]);
    expect(await store.get(chain)).toBe(told[0]);
    expect(await store.get(hashOf("y"))).toBeNull();
  });

  test(`${name} · an empty form is a form`, async () => {
    const store = open();
    expect(await store.putIfAbsent(hashOf("x"), "")).toBe("");
    expect(await store.putIfAbsent(hashOf("x"), "later")).toBe("");
  });
}
