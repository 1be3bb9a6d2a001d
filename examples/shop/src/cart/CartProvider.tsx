import { createContext, type Dispatch, type ReactNode, useContext, useMemo, useReducer } from "react";
import type { CartLine } from "../types.ts";
import { type CartAction, cartReducer } from "./cart.ts";

type CartValue = { readonly lines: readonly CartLine[]; readonly dispatch: Dispatch<CartAction> };

const CartContext = createContext<CartValue | null>(null);

export function CartProvider({ children }: { readonly children: ReactNode }) {
  const [lines, dispatch] = useReducer(cartReducer, []);
  const value = useMemo(() => ({ lines, dispatch }), [lines]);
  return <CartContext value={value}>{children}</CartContext>;
}

export function useCart(): CartValue {
  const value = useContext(CartContext);
  if (value === null) throw new Error("useCart needs a CartProvider above it");
  return value;
}
