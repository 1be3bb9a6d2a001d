/** What the user asked for is not done, and why. `by`: a permission was not given, or somebody stopped it. */
export type Refused = { readonly type: "refused"; readonly why: string; readonly by?: "permission" | "interrupt" };

export function refused(why: string): Refused {
  return { type: "refused", why };
}

export function stopped(why: string): Refused {
  return { ...refused(why), by: "interrupt" };
}
