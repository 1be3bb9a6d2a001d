/** What the user asked for is not done, and why. */
export type Refused = { readonly type: "refused"; readonly why: string };

export function refused(why: string): Refused {
  return { type: "refused", why };
}
