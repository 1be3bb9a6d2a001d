import type { CartLine, Cents, Product } from "../types.ts";

export type CartAction =
  | { readonly type: "added"; readonly product: Product; readonly quantity: number }
  | { readonly type: "changed"; readonly productId: string; readonly quantity: number }
  | { readonly type: "removed"; readonly productId: string }
  | { readonly type: "emptied" };

/** Nobody buys more of one thing here; the server refuses it too. */
export const quantityMax = 20;
export const freeShippingFrom: Cents = 7500;
const shippingPrice: Cents = 590;

/** Lines keep the order in which they were first added. A quantity of 0 removes the line. */
export function cartReducer(lines: readonly CartLine[], action: CartAction): readonly CartLine[] {
  switch (action.type) {
    case "added": {
      const present = lines.find((line) => line.product.id === action.product.id);
      if (present === undefined)
        return withQuantity([...lines, { product: action.product, quantity: 0 }], action.product.id, action.quantity);
      return withQuantity(lines, action.product.id, present.quantity + action.quantity);
    }
    case "changed":
      return withQuantity(lines, action.productId, action.quantity);
    case "removed":
      return lines.filter((line) => line.product.id !== action.productId);
    case "emptied":
      return [];
  }
}

function withQuantity(lines: readonly CartLine[], productId: string, quantity: number): readonly CartLine[] {
  return lines.flatMap((line) => {
    if (line.product.id !== productId) return [line];
    const allowed = Math.min(Math.max(0, Math.floor(quantity)), quantityMax, line.product.stock);
    return allowed === 0 ? [] : [{ ...line, quantity: allowed }];
  });
}

export function cartCount(lines: readonly CartLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity, 0);
}

export function subtotal(lines: readonly CartLine[]): Cents {
  return lines.reduce((sum, line) => sum + line.quantity * line.product.price, 0);
}

export function shipping(lines: readonly CartLine[]): Cents {
  const goods = subtotal(lines);
  return goods === 0 || goods >= freeShippingFrom ? 0 : shippingPrice;
}

export function total(lines: readonly CartLine[]): Cents {
  return subtotal(lines) + shipping(lines);
}

export function packedWeight(lines: readonly CartLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity * line.product.weight, 0);
}
