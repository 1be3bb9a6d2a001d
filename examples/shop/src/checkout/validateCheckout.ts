import type { Contact } from "../types.ts";

/** Messages by field; a field without one is fine. */
export type CheckoutErrors = Partial<Record<keyof Contact, string>>;

/** The order in which the fields stand, and in which the first bad one gets the focus. */
export const contactFields: readonly (keyof Contact)[] = ["name", "email", "street", "postcode", "city"];

export function validateCheckout(contact: Contact): CheckoutErrors {
  const errors: CheckoutErrors = {};
  if (contact.name.trim() === "") errors.name = "Enter your name.";
  if (!contact.email.includes("@")) errors.email = "Enter an email address, so that we can send the receipt.";
  if (contact.street.trim() === "") errors.street = "Enter street and house number.";
  if (!/^\d{4,5}$/.test(contact.postcode.trim())) errors.postcode = "A postcode has four or five digits.";
  if (contact.city.trim() === "") errors.city = "Enter the city.";
  return errors;
}
