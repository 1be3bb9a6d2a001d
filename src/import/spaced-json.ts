/** A call's input: a text as the file has it, anything else as spaced JSON. */
export function inputOf(input: unknown): string {
  return typeof input === "string" ? input : spacedJson(input ?? {});
}

/** JSON with `", "` and `": "` between its parts, as most agents' logs are counted with (METRICS 1). */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`)
    .join(", ")}}`;
}
