import { useCart } from "../cart/CartProvider.tsx";
import { Button } from "../components/Button.tsx";
import { Link } from "../components/Link.tsx";
import { money, stars, weight } from "../format.ts";
import type { Router } from "../router.ts";
import type { Product } from "../types.ts";

type ProductCardProps = { readonly product: Product; readonly router: Router };

export function ProductCard({ product, router }: ProductCardProps) {
  const { dispatch } = useCart();
  const soldOut = product.stock === 0;
  return (
    <li className={soldOut ? "card card-sold-out" : "card"}>
      <h2>
        <Link to={`/product/${product.id}`} router={router}>
          {product.name}
        </Link>
      </h2>
      <p>{product.summary}</p>
      <p className="quiet">
        <span aria-hidden="true">{stars(product.rating)}</span> {product.rating.toFixed(1)} · {weight(product.weight)}
      </p>
      <p className="price">{money(product.price)}</p>
      <Button
        kind="primary"
        disabled={soldOut}
        label={`Add ${product.name} to the cart`}
        onClick={() => dispatch({ type: "added", product, quantity: 1 })}
      >
        {soldOut ? "Sold out" : "Add to cart"}
      </Button>
    </li>
  );
}
