import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const rowCount = 300;
const rows = Array.from({ length: rowCount }, (_, n) => n + 1);
const fields = ["Ordered by", "Order from", "Order to", "City", "Postal code", "Remark"];
const states = ["open", "packed", "shipped", "returned"];
const customers = "Ahlgren Brankov Castellano Dvorak Eriksen Fontaine Gruber Haddad Ishikawa Jankowski".split(" ");

/** Every label of the page that names one element. */
export const ordersLabels: readonly string[] = [
  ...rows.map((n) => `Refund order ${4000 + n}`),
  ...rows.map((n) => `Order ${4000 + n} of ${customerOf(n)}`),
  ...Array.from({ length: 20 }, (_, n) => `Section ${n + 1}`),
  ...fields,
  "Search orders",
  "Export as CSV",
];

/** A large page: 20 links, a form, a table of 300 rows with a link and a button each, a button behind it. It says what was pressed. */
function ordersPage(): string {
  const links = Array.from({ length: 20 }, (_, n) => `<a href="#s${n + 1}">Section ${n + 1}</a>`).join("\n");
  const form = fields.map((label) => `<label>${label} <input></label>`).join("\n");
  const body = rows.map(rowOf).join("\n");
  return `<!doctype html><title>Orders</title><nav>${links}</nav><h1>Orders</h1><p role="status">Nothing was pressed.</p>
<form onsubmit="return false">${form}<button>Search orders</button></form>
<table><thead><tr><th>Order</th><th>Customer</th><th>State</th><th>Total</th><th>Action</th></tr></thead><tbody>${body}</tbody></table>
<footer><button>Export as CSV</button></footer>
<script>addEventListener("click", ({ target }) => {
  if (target.tagName === "BUTTON") document.querySelector("[role=status]").textContent = "Pressed: " + target.textContent;
})</script>`;
}

function customerOf(n: number): string {
  return `${customers[n % customers.length]} ${"ABCDEFGH"[n % 8]}.`;
}

function rowOf(n: number): string {
  const order = 4000 + n;
  const total = `${((n * 7919) % 90_000) / 100} EUR`;
  return `<tr><td><a href="#${order}">Order ${order} of ${customerOf(n)}</a></td><td>${customerOf(n)}</td><td>${states[n % 4]}</td><td>${total}</td><td><button>Refund order ${order}</button></td></tr>`;
}

/** It on loopback, until `end`. */
export async function serveOrders(): Promise<{ readonly url: string; readonly end: () => void }> {
  const page = ordersPage();
  const web = createServer((_request, response) => response.setHeader("content-type", "text/html").end(page));
  web.listen(0, "127.0.0.1");
  await once(web, "listening");
  // The proof: it listens at an address of TCP.
  const { port } = web.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    end() {
      web.close();
      web.closeAllConnections();
    },
  };
}
