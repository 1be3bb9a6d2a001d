import { useCart } from "../cart/CartProvider.tsx";
import { cartCount } from "../cart/cart.ts";
import { count } from "../format.ts";
import type { Router } from "../router.ts";
import { Link } from "./Link.tsx";

type HeaderProps = { readonly router: Router };

export function Header({ router }: HeaderProps) {
  const { lines } = useCart();
  const items = cartCount(lines);
  return (
    <header className="header">
      <Link to="/" router={router} className="brand">
        Lake &amp; Lantern
      </Link>
      <nav className="nav" aria-label="Main">
        <Link to="/" router={router}>
          Catalogue
        </Link>
        <Link to="/cart" router={router} label={`Cart, ${count(items, "item")}`}>
          Cart {items > 0 && <span className="badge">{items}</span>}
        </Link>
      </nav>
    </header>
  );
}
