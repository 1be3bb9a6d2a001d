import type { Api } from "./api.ts";
import { CartPage } from "./cart/CartPage.tsx";
import { CartProvider } from "./cart/CartProvider.tsx";
import { CatalogPage } from "./catalog/CatalogPage.tsx";
import { ProductPage } from "./catalog/ProductPage.tsx";
import { CheckoutPage } from "./checkout/CheckoutPage.tsx";
import { Footer } from "./components/Footer.tsx";
import { Header } from "./components/Header.tsx";
import { Link } from "./components/Link.tsx";
import { type Route, type Router, useRoute } from "./router.ts";

type AppProps = { readonly api: Api; readonly router: Router };

export function App({ api, router }: AppProps) {
  const route = useRoute(router);
  return (
    <CartProvider>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Header router={router} />
      <main id="content" className="page">
        <Page route={route} api={api} router={router} />
      </main>
      <Footer />
    </CartProvider>
  );
}

function Page({ route, api, router }: AppProps & { readonly route: Route }) {
  switch (route.page) {
    case "catalog":
      return <CatalogPage api={api} router={router} />;
    case "product":
      return <ProductPage api={api} router={router} id={route.id} />;
    case "cart":
      return <CartPage router={router} />;
    case "checkout":
      return <CheckoutPage api={api} router={router} />;
    case "not-found":
      return <NotFound path={route.path} router={router} />;
  }
}

function NotFound({ path, router }: { readonly path: string; readonly router: Router }) {
  return (
    <section className="empty">
      <h1>Nothing here</h1>
      <p>
        There is no page at <code>{path}</code>.
      </p>
      <Link to="/" router={router}>
        Back to the catalogue
      </Link>
    </section>
  );
}
