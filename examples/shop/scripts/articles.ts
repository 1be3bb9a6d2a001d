import { products } from "../src/data/products.ts";
import type { Product } from "../src/types.ts";

const colours = ["moss", "slate", "rust", "sand", "night", "birch", "heather"];

/** The season as a real shop lists it: each product once in every colour, as an article of its own. */
export const articles: readonly Product[] = products.flatMap((product, at) =>
  colours.map((colour, nth) => ({
    ...product,
    id: `${product.id}-${colour}`,
    name: `${product.name}, ${colour}`,
    stock: product.stock === 0 ? 0 : (product.stock + at + nth * 3) % 17,
    tags: [...product.tags, colour],
  })),
);
