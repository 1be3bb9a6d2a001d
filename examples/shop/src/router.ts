import { useSyncExternalStore } from "react";

export type Route =
  | { readonly page: "catalog" }
  | { readonly page: "product"; readonly id: string }
  | { readonly page: "cart" }
  | { readonly page: "checkout" }
  | { readonly page: "not-found"; readonly path: string };

/** Where the visitor is. The browser's history in the page, a plain variable in tests. */
export interface Router {
  path(): string;
  go(path: string): void;
  subscribe(listener: () => void): () => void;
}

export function routeOf(path: string): Route {
  const clean = path.replace(/[?#].*$/, "").replace(/(.)\/+$/, "$1");
  if (clean === "/") return { page: "catalog" };
  if (clean === "/cart") return { page: "cart" };
  if (clean === "/checkout") return { page: "checkout" };
  const product = /^\/product\/([a-z0-9-]+)$/.exec(clean);
  if (product?.[1] !== undefined) return { page: "product", id: product[1] };
  return { page: "not-found", path: clean };
}

export function useRoute(router: Router): Route {
  return routeOf(useSyncExternalStore(router.subscribe, router.path));
}

export function memoryRouter(start: string): Router {
  let current = start;
  const listeners = new Set<() => void>();
  return {
    path: () => current,
    go(path) {
      current = path;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function browserRouter(page: Window): Router {
  const listeners = new Set<() => void>();
  page.addEventListener("popstate", () => {
    for (const listener of listeners) listener();
  });
  return {
    path: () => page.location.pathname,
    go(path) {
      page.history.pushState(null, "", path);
      page.scrollTo(0, 0);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
