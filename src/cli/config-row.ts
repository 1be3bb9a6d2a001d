/** A setting as it holds now. `note`: what else is to be known of it. */
export type ConfigRow = {
  readonly key: string;
  readonly value: ConfigValue;
  /** `default`, `flag --x`, `environment X`, the path of a file, or what else decided. */
  readonly from: string;
  readonly note?: string;
};

/** null: nothing is set, and the program or the model does what is usual. */
export type ConfigValue = string | number | boolean | null | readonly string[];

export const usual = "default";

/** A file of settings as a source: what the command line says is a flag. */
export function sourceOf(file: string | null): string {
  if (file === null) return usual;
  return file.startsWith("--") ? `flag ${file}` : file;
}

export function flagRow<T extends ConfigValue>(
  key: string,
  flag: string,
  value: T | undefined,
  otherwise: ConfigValue,
): ConfigRow {
  return value === undefined ? { key, value: otherwise, from: usual } : { key, value, from: `flag ${flag}` };
}

/** Without what may be a key: a name and a password, and what stands behind `?`. */
export function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text.replace(/\?.*$/s, "?...").replace(/\/\/[^/@]*@/, "//");
  const bare = `${url.protocol}//${url.host}${url.pathname}`;
  return url.search === "" ? bare : `${bare}?...`;
}
