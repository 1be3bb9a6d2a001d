import { Button } from "../components/Button.tsx";
import { Link } from "../components/Link.tsx";
import { count, money, weight } from "../format.ts";
import type { Router } from "../router.ts";
import type { CartLine } from "../types.ts";
import { useCart } from "./CartProvider.tsx";
import { cartCount, freeShippingFrom, packedWeight, quantityMax, shipping, subtotal, total } from "./cart.ts";

export function CartPage({ router }: { readonly router: Router }) {
  const { lines, dispatch } = useCart();
  if (lines.length === 0) return <EmptyCart router={router} />;
  return (
    <section>
      <h1>Your cart</h1>
      <p className="quiet">
        {count(cartCount(lines), "item")}, {weight(packedWeight(lines))} to carry
      </p>
      <ul className="cart-lines">
        {lines.map((line) => (
          <Line key={line.product.id} line={line} />
        ))}
      </ul>
      <Totals lines={lines} />
      <div className="actions">
        <Button kind="quiet" onClick={() => dispatch({ type: "emptied" })}>
          Empty the cart
        </Button>
        <Button kind="primary" onClick={() => router.go("/checkout")}>
          Go to checkout
        </Button>
      </div>
    </section>
  );
}

function EmptyCart({ router }: { readonly router: Router }) {
  return (
    <section className="empty">
      <h1>Your cart is empty</h1>
      <Link to="/" router={router}>
        Look around
      </Link>
    </section>
  );
}

function Line({ line }: { readonly line: CartLine }) {
  const { dispatch } = useCart();
  const { product, quantity } = line;
  const change = (to: number) => dispatch({ type: "changed", productId: product.id, quantity: to });
  return (
    <li className="cart-line">
      <span className="cart-line-name">{product.name}</span>
      <span className="cart-line-quantity">
        <Button kind="quiet" label={`One less ${product.name}`} onClick={() => change(quantity - 1)}>
          −
        </Button>
        <output aria-label={`Quantity of ${product.name}`}>{quantity}</output>
        <Button
          kind="quiet"
          label={`One more ${product.name}`}
          disabled={quantity >= Math.min(quantityMax, product.stock)}
          onClick={() => change(quantity + 1)}
        >
          +
        </Button>
      </span>
      <span className="cart-line-price">{money(product.price * quantity)}</span>
      <Button
        kind="quiet"
        label={`Remove ${product.name}`}
        onClick={() => dispatch({ type: "removed", productId: product.id })}
      >
        Remove
      </Button>
    </li>
  );
}

function Totals({ lines }: { readonly lines: readonly CartLine[] }) {
  const missing = freeShippingFrom - subtotal(lines);
  return (
    <dl className="totals">
      <dt>Goods</dt>
      <dd>{money(subtotal(lines))}</dd>
      <dt>Shipping</dt>
      <dd>{shipping(lines) === 0 ? "free" : money(shipping(lines))}</dd>
      <dt>Total</dt>
      <dd data-testid="total">{money(total(lines))}</dd>
      {missing > 0 && <dd className="quiet totals-note">{money(missing)} more and shipping is free</dd>}
    </dl>
  );
}
