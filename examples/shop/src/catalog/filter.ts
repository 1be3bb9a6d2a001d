import type { Category, Product } from "../types.ts";

export type SortOrder = "rating" | "price-up" | "price-down" | "weight";

export type Filter = {
  readonly words: string;
  readonly category: Category | "all";
  readonly inStockOnly: boolean;
  readonly sort: SortOrder;
};

export const noFilter: Filter = { words: "", category: "all", inStockOnly: false, sort: "rating" };

export const categoryNames: Readonly<Record<Category, string>> = {
  tents: "Tents",
  sleeping: "Sleeping",
  cooking: "Cooking",
  light: "Light",
  packs: "Packs",
  clothing: "Clothing",
};

export const sortNames: Readonly<Record<SortOrder, string>> = {
  rating: "Best rated",
  "price-up": "Cheapest first",
  "price-down": "Dearest first",
  weight: "Lightest first",
};

/** Every word must occur in name, tags or summary; ties keep the order of the catalogue. */
export function applyFilter(products: readonly Product[], filter: Filter): readonly Product[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return products
    .filter((product) => filter.category === "all" || product.category === filter.category)
    .filter((product) => !filter.inStockOnly || product.stock > 0)
    .filter((product) => words.every((word) => textOf(product).includes(word)))
    .toSorted(comparisons[filter.sort]);
}

const comparisons: Readonly<Record<SortOrder, (a: Product, b: Product) => number>> = {
  rating: (a, b) => b.rating - a.rating,
  "price-up": (a, b) => a.price - b.price,
  "price-down": (a, b) => b.price - a.price,
  weight: (a, b) => a.weight - b.weight,
};

function textOf(product: Product): string {
  return [product.name, product.summary, ...product.tags].join(" ").toLowerCase();
}
