/** What the user asked for is not done, and why. */
/** `by`: a permission was not given. */
export type Refused = { readonly type: "refused"; readonly why: string; readonly by?: "permission" };

export function refused(why: string): Refused {
  return { type: "refused", why };
}
