import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";

/** What `docs/results.json` holds: the object that a bench printed, and how to print it again. */
export type Part = {
  readonly id: string;
  readonly command: string;
  /** Day on which it ran. */
  readonly date: string;
  readonly version: string;
  readonly result: Readonly<Record<string, unknown>>;
};

export function partsIn(text: string): readonly Part[] {
  const parsed = parseJson(text);
  const parts = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.parts : undefined;
  if (!Array.isArray(parts)) throw new Error("docs/results.json: expected an object with a list of parts");
  return parts.map((part: unknown, at): Part => {
    const { id, command, date, version, result } = isRecord(part) ? part : {};
    const texts = [id, command, date, version].filter((one) => typeof one === "string");
    const [idText, commandText, dateText, versionText] = texts;
    if (texts.length !== 4 || !isRecord(result)) throw new Error(`docs/results.json: part ${at + 1} is none`);
    return { id: idText ?? "", command: commandText ?? "", date: dateText ?? "", version: versionText ?? "", result };
  });
}

export function partsText(parts: readonly Part[]): string {
  return `{"parts":[\n${parts.map((part) => JSON.stringify(part)).join(",\n")}\n]}\n`;
}

/** The member's rows; none where there are none. */
export function rowsOf(result: Readonly<Record<string, unknown>>, key: string): readonly Record<string, unknown>[] {
  const rows = result[key];
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}

/** What stands under those keys, one below the other. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}
