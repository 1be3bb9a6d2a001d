import type { CartLine } from "../src/types.ts";
import type { Log } from "./log.ts";

/** What lies on the shelf, and what of it is held for orders that are not paid yet. */
export interface Stock {
  shelf(productId: string): number;
  held(productId: string): number;
  /** Holds the pieces of an order; null when it is done, else the product of which too little is free. */
  hold(orderId: string, lines: readonly CartLine[]): string | null;
  /** Gives back what an order held. */
  release(orderId: string): void;
  /** The order is paid: its pieces leave the shelf. */
  take(orderId: string): void;
}

export function createStock(start: ReadonlyMap<string, number>, log: Log): Stock {
  const shelf = new Map(start);
  const holds = new Map<string, readonly CartLine[]>();
  const onShelf = (productId: string) => shelf.get(productId) ?? 0;

  function held(productId: string): number {
    const lines = [...holds.values()].flat().filter((line) => line.product.id === productId);
    return lines.reduce((sum, line) => sum + line.quantity, 0);
  }

  function ended(orderId: string, event: string): readonly CartLine[] {
    const lines = holds.get(orderId) ?? [];
    holds.delete(orderId);
    for (const line of lines) log("info", event, { order: orderId, product: line.product.id, pieces: line.quantity });
    return lines;
  }

  return {
    shelf: onShelf,
    held,
    hold(orderId, lines) {
      const short = lines.find(({ product, quantity }) => onShelf(product.id) - held(product.id) < quantity);
      if (short !== undefined) return short.product.id;
      holds.set(orderId, lines);
      for (const { product, quantity } of lines)
        log("info", "stock.held", { order: orderId, product: product.id, pieces: quantity });
      return null;
    },
    release(orderId) {
      ended(orderId, "stock.released");
    },
    take(orderId) {
      for (const { product, quantity } of ended(orderId, "stock.taken"))
        shelf.set(product.id, onShelf(product.id) - quantity);
    },
  };
}
