/** Of files, the strongest first: the first that says something, and what it says. */
export function strongest<F, T>(
  files: readonly F[],
  said: (file: F) => T | null | undefined,
): { readonly file: F; readonly value: T } | null {
  for (const file of files) {
    const value = said(file);
    if (value !== null && value !== undefined) return { file, value };
  }
  return null;
}
