import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { LookAt, Offered, Told } from "../ports/knowledge.ts";
import { reminderText } from "../prompt/context.ts";
import { decodeText } from "../tools/encoding.ts";
import { inLine, isInside } from "../workspace/path.ts";
import { bundledStyles, isStyle, parseStyle, plainStyle, type Style } from "../workspace/style.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";

export type StylePlace = { readonly cwd: string; readonly user: string | null; readonly home: string };

export type FoundStyle =
  | { readonly type: "plain" }
  | { readonly type: "found"; readonly style: Style; readonly source: string }
  /** `why`: names those there are, or the file, line and what is wrong with it. */
  | { readonly type: "bad"; readonly why: string };

/** By the name in its fields or its file's; the project's own before the user's, those before ours. */
export async function styleNamed(wanted: string, place: StylePlace): Promise<FoundStyle> {
  if (isStyle({ name: plainStyle }, wanted)) return { type: "plain" };
  const names = new Set<string>();
  for (const { folder, within } of await foldersOf(place))
    for (const path of await filesIn(folder)) {
      const read = await styleIn(path, within);
      const fileName = nameOf(path);
      if (read.type === "bad") {
        if (isStyle({ name: fileName }, wanted)) return { type: "bad", why: `${path}${read.why}` };
        continue;
      }
      if (isStyle(read.style, wanted)) return { type: "found", style: read.style, source: path };
      names.add(read.style.name);
    }
  const own = bundledStyles.find((style) => isStyle(style, wanted));
  if (own !== undefined) return { type: "found", style: own, source: "Varve" };
  const all = [plainStyle, ...bundledStyles.map(({ name }) => name), ...names].slice(0, bounds.stylesNamedMax);
  return {
    type: "bad",
    why: `there is no output style ${JSON.stringify(wanted.slice(0, 80))}; there are ${all.join(", ")}`,
  };
}

/** The chosen one, as it is at the first look: it does not change while the session is open. undefined: none was chosen. */
export function styleLook(wanted: string | undefined, place: StylePlace): (at: LookAt) => Promise<Told> {
  if (wanted === undefined) return async () => ({ attachments: [], covers: [], notes: [] });
  let told: Promise<Told> | null = null;
  return () => {
    told ??= styleNamed(wanted, place).then(toldOf);
    return told;
  };
}

function toldOf(found: FoundStyle): Told {
  if (found.type === "bad") return { attachments: [], covers: [], notes: [found.why] };
  const attachments = found.type === "plain" ? [] : [offered(found.style, found.source)];
  return { attachments, covers: ["style"], notes: [] };
}

function offered({ name, body }: Style, source: string): Offered {
  // A project's settings may have chosen it, so it is not said to be the user's wish.
  const head = `How to write in this session (output style ${inLine(name)}, from ${inLine(source)}):`;
  const text = reminderText(`${head}\n${body}`);
  return { kind: "style", name: "chosen", source: `${name} (${source})`, hash: hashOf(text), text };
}

/** `within`: links do not lead out of it, or a stranger's project would choose what of the machine is sent; null: the user's own. */
type StyleFolder = { readonly folder: string; readonly within: string | null };

async function foldersOf({ cwd, user, home }: StylePlace): Promise<readonly StyleFolder[]> {
  const own = user === null ? [] : [join(home, styles), join(user, ".claude", styles)];
  const projects = [join(cwd, ".varve", styles), join(cwd, ".claude", styles)].filter((one) => !own.includes(one));
  const at = await locate(cwd);
  const within = at.type === "found" ? at.path : cwd;
  return [...projects.map((folder) => ({ folder, within })), ...own.map((folder) => ({ folder, within: null }))];
}

const styles = "output-styles";

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".md")).toSorted();
  return files.slice(0, bounds.styleFilesMax).map((name) => join(folder, name));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
}

type Read = { readonly type: "ok"; readonly style: Style } | { readonly type: "bad"; readonly why: string };

async function styleIn(path: string, within: string | null): Promise<Read> {
  const bad = (why: string): Read => ({ type: "bad", why: `: ${why}` });
  const found = await locate(path);
  if (found.type !== "found") return bad(found.type === "absent" ? "it leads nowhere" : found.why);
  if (within !== null && !isInside(within, found.path)) return bad(`it leads out of the project, to ${found.path}`);
  const read = await readFile(found.path, bounds.styleBytesMax);
  if (read.type === "failed") return bad(read.why);
  if (read.more) return bad(`it is larger than ${bounds.styleBytesMax / 1024} KiB`);
  const decoded = decodeText(read.bytes);
  if (decoded.type === "binary") return bad(`it is no text: ${decoded.why}`);
  const parsed = await parseStyle(decoded.text, nameOf(path));
  if (parsed.type === "bad") return { type: "bad", why: `:${parsed.line}: ${parsed.why}` };
  const tokens = estimate(parsed.style.body);
  return tokens > bounds.styleTokensMax
    ? bad(`about ${tokens} tokens; a style may have ${bounds.styleTokensMax}`)
    : { type: "ok", style: parsed.style };
}
