import { useMemo, useState } from "react";
import type { Api } from "../api.ts";
import { Notice } from "../components/Notice.tsx";
import { count } from "../format.ts";
import type { Router } from "../router.ts";
import { FilterBar } from "./FilterBar.tsx";
import { applyFilter, type Filter, noFilter } from "./filter.ts";
import { ProductCard } from "./ProductCard.tsx";
import { useProducts } from "./useProducts.ts";

type CatalogPageProps = { readonly api: Api; readonly router: Router };

export function CatalogPage({ api, router }: CatalogPageProps) {
  const products = useProducts(api);
  const [filter, setFilter] = useState<Filter>(noFilter);
  const all = products.state === "ready" ? products.value : [];
  const shown = useMemo(() => applyFilter(all, filter), [all, filter]);
  return (
    <section>
      <h1>Catalogue</h1>
      <FilterBar filter={filter} onChange={setFilter} />
      {products.state === "loading" && <p role="status">Loading the catalogue…</p>}
      {products.state === "failed" && <Notice kind="error">{products.message}</Notice>}
      {products.state === "ready" && <p role="status">{count(shown.length, "product")}</p>}
      <ul className="grid">
        {shown.map((product) => (
          <ProductCard key={product.id} product={product} router={router} />
        ))}
      </ul>
    </section>
  );
}
