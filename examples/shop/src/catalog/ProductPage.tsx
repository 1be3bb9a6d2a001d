import type { Api } from "../api.ts";
import { useCart } from "../cart/CartProvider.tsx";
import { Button } from "../components/Button.tsx";
import { Link } from "../components/Link.tsx";
import { Notice } from "../components/Notice.tsx";
import { money, stars, weight } from "../format.ts";
import type { Router } from "../router.ts";
import type { Product } from "../types.ts";
import { categoryNames } from "./filter.ts";
import { useProduct } from "./useProducts.ts";

type ProductPageProps = { readonly api: Api; readonly router: Router; readonly id: string };

export function ProductPage({ api, router, id }: ProductPageProps) {
  const product = useProduct(api, id);
  return (
    <article className="product">
      <Link to="/" router={router}>
        ← Catalogue
      </Link>
      {product.state === "loading" && <p role="status">Loading…</p>}
      {product.state === "failed" && <Notice kind="error">{product.message}</Notice>}
      {product.state === "ready" && <Details product={product.value} />}
    </article>
  );
}

function Details({ product }: { readonly product: Product }) {
  const { dispatch } = useCart();
  return (
    <>
      <h1>{product.name}</h1>
      <p>{product.summary}</p>
      <dl className="facts">
        <dt>Category</dt>
        <dd>{categoryNames[product.category]}</dd>
        <dt>Weight, packed</dt>
        <dd>{weight(product.weight)}</dd>
        <dt>Rating</dt>
        <dd>
          {product.rating.toFixed(1)} <span aria-hidden="true">{stars(product.rating)}</span>
        </dd>
        <dt>In stock</dt>
        <dd>{product.stock === 0 ? "sold out" : product.stock}</dd>
      </dl>
      <p className="tags">{product.tags.map((tag) => `#${tag}`).join(" ")}</p>
      <p className="price">{money(product.price)}</p>
      <Button
        kind="primary"
        disabled={product.stock === 0}
        onClick={() => dispatch({ type: "added", product, quantity: 1 })}
      >
        Add to cart
      </Button>
    </>
  );
}
