/** Money is in cents, so that sums stay whole numbers. */
export type Cents = number;

export type Category = "tents" | "sleeping" | "cooking" | "light" | "packs" | "clothing";

export type Product = {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly price: Cents;
  /** Grams, as packed. */
  readonly weight: number;
  /** Pieces in stock; 0 means sold out. */
  readonly stock: number;
  readonly rating: number;
  readonly tags: readonly string[];
  readonly summary: string;
};

export type CartLine = {
  readonly product: Product;
  readonly quantity: number;
};

export type Contact = {
  readonly name: string;
  readonly email: string;
  readonly street: string;
  readonly postcode: string;
  readonly city: string;
};

export type Order = {
  readonly contact: Contact;
  readonly lines: readonly { readonly productId: string; readonly quantity: number }[];
};

export type OrderReceipt = {
  readonly orderId: string;
  readonly total: Cents;
  /** ISO date on which the parcel is expected. */
  readonly expected: string;
};
