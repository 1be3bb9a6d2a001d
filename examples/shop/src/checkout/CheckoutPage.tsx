import { type FormEvent, useRef, useState } from "react";
import { type Api, messageFor } from "../api.ts";
import { useCart } from "../cart/CartProvider.tsx";
import { total } from "../cart/cart.ts";
import { Button } from "../components/Button.tsx";
import { Field } from "../components/Field.tsx";
import { Link } from "../components/Link.tsx";
import { Notice } from "../components/Notice.tsx";
import { money } from "../format.ts";
import type { Router } from "../router.ts";
import type { Contact, OrderReceipt } from "../types.ts";
import { type CheckoutErrors, contactFields, validateCheckout } from "./validateCheckout.ts";

type CheckoutPageProps = { readonly api: Api; readonly router: Router };

const emptyContact: Contact = { name: "", email: "", street: "", postcode: "", city: "" };

const labels: Readonly<Record<keyof Contact, string>> = {
  name: "Name",
  email: "Email",
  street: "Street and number",
  postcode: "Postcode",
  city: "City",
};

const autoComplete: Readonly<Record<keyof Contact, string>> = {
  name: "name",
  email: "email",
  street: "street-address",
  postcode: "postal-code",
  city: "address-level2",
};

export function CheckoutPage({ api, router }: CheckoutPageProps) {
  const { lines, dispatch } = useCart();
  const [contact, setContact] = useState(emptyContact);
  const [errors, setErrors] = useState<CheckoutErrors>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [sending, setSending] = useState(false);
  const [receipt, setReceipt] = useState<OrderReceipt | null>(null);
  const form = useRef<HTMLFormElement>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    const found = validateCheckout(contact);
    setErrors(found);
    const firstBad = contactFields.find((field) => found[field] !== undefined);
    if (firstBad !== undefined) {
      form.current?.querySelector<HTMLInputElement>(`#${firstBad}`)?.focus();
      return;
    }
    setSending(true);
    setFailure(null);
    try {
      const order = lines.map((line) => ({ productId: line.product.id, quantity: line.quantity }));
      setReceipt(await api.placeOrder({ contact, lines: order }));
      dispatch({ type: "emptied" });
    } catch (error) {
      setFailure(messageFor(error));
    } finally {
      setSending(false);
    }
  }

  if (receipt !== null) return <Receipt receipt={receipt} router={router} />;
  return (
    <section className="form-page">
      <h1>Checkout</h1>
      <form ref={form} noValidate onSubmit={submit}>
        {failure !== null && <Notice kind="error">{failure}</Notice>}
        {contactFields.map((field) => (
          <Field
            key={field}
            name={field}
            label={labels[field]}
            type={field === "email" ? "email" : "text"}
            autoComplete={autoComplete[field]}
            value={contact[field]}
            error={errors[field]}
            onChange={(value) => setContact({ ...contact, [field]: value })}
          />
        ))}
        <p className="price">{money(total(lines))}</p>
        <Button kind="primary" type="submit" disabled={sending || lines.length === 0}>
          {sending ? "Sending…" : "Place the order"}
        </Button>
      </form>
    </section>
  );
}

function Receipt({ receipt, router }: { readonly receipt: OrderReceipt; readonly router: Router }) {
  return (
    <section className="empty">
      <h1>Thank you</h1>
      <Notice kind="success">
        Order {receipt.orderId} over {money(receipt.total)} is on its way; expect it on {receipt.expected}.
      </Notice>
      <Link to="/" router={router}>
        Back to the catalogue
      </Link>
    </section>
  );
}
