export type Level = "info" | "warn" | "error";
export type Fields = Readonly<Record<string, string | number>>;

/** Where the parts of the server say what they do. */
export type Log = (level: Level, event: string, fields: Fields) => void;

/** `2031-05-04T08:00:03.412Z INFO  stock.held order=o-1001 product=heron-tarp pieces=2` */
export function lineOf(at: Date, level: Level, event: string, fields: Fields): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return [at.toISOString(), level.toUpperCase().padEnd(5), event, ...words].join(" ");
}
