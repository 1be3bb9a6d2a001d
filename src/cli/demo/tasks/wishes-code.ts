/** What the demo's engineer writes into the new files of the wish list. */

/** The newest wish goes to the end by mistake; the sample's tests find that out. */
export const wishReducer = `/** Ids of products, the newest wish first. */
export type Wishes = readonly string[];

export type WishAction =
  | { readonly type: "toggled"; readonly productId: string }
  /** They are in the cart now. */
  | { readonly type: "granted"; readonly productIds: readonly string[] };

export function wishReducer(wishes: Wishes, action: WishAction): Wishes {
  switch (action.type) {
    case "toggled":
      if (wishes.includes(action.productId)) return wishes.filter((id) => id !== action.productId);
      return [...wishes, action.productId];
    case "granted":
      return wishes.filter((id) => !action.productIds.includes(id));
  }
}
`;

export const wishProvider = `import { createContext, type Dispatch, type ReactNode, useContext, useMemo, useReducer } from "react";
import { type WishAction, type Wishes, wishReducer } from "./wishes.ts";

type WishValue = { readonly wishes: Wishes; readonly dispatch: Dispatch<WishAction> };

const WishContext = createContext<WishValue | null>(null);

export function WishProvider({ children }: { readonly children: ReactNode }) {
  const [wishes, dispatch] = useReducer(wishReducer, []);
  const value = useMemo(() => ({ wishes, dispatch }), [wishes]);
  return <WishContext value={value}>{children}</WishContext>;
}

export function useWishes(): WishValue {
  const value = useContext(WishContext);
  if (value === null) throw new Error("useWishes needs a WishProvider above it");
  return value;
}
`;

export const wishButton = `import { Button } from "../components/Button.tsx";
import type { Product } from "../types.ts";
import { useWishes } from "./WishProvider.tsx";

/** One button for wishing and for taking the wish back: its name stays, its state is said. */
export function WishButton({ product }: { readonly product: Product }) {
  const { wishes, dispatch } = useWishes();
  const wished = wishes.includes(product.id);
  return (
    <Button
      kind="quiet"
      label={\`Wish for \${product.name}\`}
      pressed={wished}
      onClick={() => dispatch({ type: "toggled", productId: product.id })}
    >
      {wished ? "♥" : "♡"}
    </Button>
  );
}
`;

export const wishesPage = `import type { Api } from "../api.ts";
import { useCart } from "../cart/CartProvider.tsx";
import { useProducts } from "../catalog/useProducts.ts";
import { Button } from "../components/Button.tsx";
import { Link } from "../components/Link.tsx";
import { Notice } from "../components/Notice.tsx";
import { money } from "../format.ts";
import type { Router } from "../router.ts";
import type { Product } from "../types.ts";
import { WishButton } from "./WishButton.tsx";
import { useWishes } from "./WishProvider.tsx";

type WishesPageProps = { readonly api: Api; readonly router: Router };

export function WishesPage({ api, router }: WishesPageProps) {
  const { wishes } = useWishes();
  const products = useProducts(api);
  if (wishes.length === 0) return <NoWishes router={router} />;
  return (
    <section>
      <h1>Your wishes</h1>
      {products.state === "loading" && <p role="status">Loading…</p>}
      {products.state === "failed" && <Notice kind="error">{products.message}</Notice>}
      {products.state === "ready" && <WishList wished={wishedOf(wishes, products.value)} router={router} />}
    </section>
  );
}

function NoWishes({ router }: { readonly router: Router }) {
  return (
    <section className="empty">
      <h1>No wishes yet</h1>
      <Link to="/" router={router}>
        Look around
      </Link>
    </section>
  );
}

type WishListProps = { readonly wished: readonly Product[]; readonly router: Router };

function WishList({ wished, router }: WishListProps) {
  const cart = useCart();
  const { dispatch } = useWishes();
  const there = wished.filter((product) => product.stock > 0);

  function putIntoCart() {
    for (const product of there) cart.dispatch({ type: "added", product, quantity: 1 });
    dispatch({ type: "granted", productIds: there.map((product) => product.id) });
  }

  return (
    <>
      <ul className="grid">
        {wished.map((product) => (
          <li key={product.id} className="card">
            <h2>
              <Link to={\`/product/\${product.id}\`} router={router}>
                {product.name}
              </Link>
            </h2>
            <p className="price">{money(product.price)}</p>
            <WishButton product={product} />
          </li>
        ))}
      </ul>
      <p className="wishes-sum">
        All together <span data-testid="wishes-sum">{money(wished.reduce((sum, one) => sum + one.price, 0))}</span>
      </p>
      <Button kind="primary" disabled={there.length === 0} onClick={putIntoCart}>
        Put all into the cart
      </Button>
    </>
  );
}

/** In the order of the wishes; what the catalogue no longer has is left out. */
function wishedOf(wishes: readonly string[], products: readonly Product[]): readonly Product[] {
  return wishes.flatMap((id) => products.find((product) => product.id === id) ?? []);
}
`;

export const wishesLink = `        <Link to="/wishes" router={router} label={\`Wishes, \${count(wishes.length, "item")}\`}>
          Wishes {wishes.length > 0 && <span className="badge">{wishes.length}</span>}
        </Link>
`;

export const wishStyles = `
.button[aria-pressed="true"] {
  color: var(--bad);
}

.wishes-sum {
  margin: var(--gap) 0;
  font-weight: 600;
}
`;
