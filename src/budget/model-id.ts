/**
 * A model's bare id: lower case, without vendor path, cloud prefix, snapshot date or version suffix, so that
 * `us.anthropic.claude-haiku-4-5-20251001-v1:0` is known by what it is. For facts of the model itself; prices are per
 * seller and are looked up by `datelessId`.
 */
export function bareId(model: string): string {
  const last = model.toLowerCase().split("/").at(-1) ?? "";
  const id = datelessId(
    last
      .replace(/^(?:[a-z]+\.)?anthropic\./, "")
      .replace(/-v\d+(?::\d+)?$/, "")
      .replace(/\[\w+\]$/, ""),
  );
  // Some sellers write versions of Claude with dots.
  return id.startsWith("claude-") ? id.replaceAll(".", "-") : id;
}

/** Without the date of a pinned snapshot: `-20251001`, `@20251001`, `-2026-11-17`, `-latest`. */
export function datelessId(model: string): string {
  return model.toLowerCase().replace(/(?:[-@]20\d{6}|-20\d\d-\d\d-\d\d|-latest)$/, "");
}
