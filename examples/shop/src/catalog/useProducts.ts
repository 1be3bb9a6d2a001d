import { useEffect, useState } from "react";
import { type Api, messageFor } from "../api.ts";
import type { Product } from "../types.ts";

export type Loading<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly message: string };

export function useProducts(api: Api): Loading<readonly Product[]> {
  const [result, setResult] = useState<Loading<readonly Product[]>>({ state: "loading" });
  useEffect(() => load(() => api.listProducts(), setResult), [api]);
  return result;
}

export function useProduct(api: Api, id: string): Loading<Product> {
  const [result, setResult] = useState<Loading<Product>>({ state: "loading" });
  useEffect(() => load(() => api.getProduct(id), setResult), [api, id]);
  return result;
}

/** An answer that comes after the page was left is dropped. */
function load<T>(get: () => Promise<T>, set: (result: Loading<T>) => void): () => void {
  let left = false;
  set({ state: "loading" });
  get().then(
    (value) => !left && set({ state: "ready", value }),
    (error: unknown) => !left && set({ state: "failed", message: messageFor(error) }),
  );
  return () => {
    left = true;
  };
}
