import { readFile } from "node:fs/promises";
import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, isRecord } from "../kernel/canonical.ts";
import type { ProjectId } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import { type Wanted, withMembers, withoutMember } from "../workspace/json-members.ts";
import { codeOf, explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { writeFile } from "./fs-write.ts";
import { serverChoices } from "./server-places.ts";
import { writeWhole } from "./store-file-blobs.ts";

export type ServerEdit =
  | { readonly type: "done" }
  /** Nothing of that name stands in the file. */
  | { readonly type: "absent" }
  | { readonly type: "refused"; readonly why: string };

/** A file of servers; `private`: only its user may read it, for there may be keys in it. */
export type ServerFile = { readonly path: string; readonly readers: "private" | "as others" };

/** Adds an entry and leaves the rest of the file as it was written, to the byte. What is there already is not overwritten. */
export async function addServer(file: ServerFile, name: string, entry: Wanted): Promise<ServerEdit> {
  return await edited(file, (text) => {
    const put = withMembers(text ?? "", { mcpServers: { [name]: entry } });
    if (put.type === "bad") return refused(`${file.path}: ${put.why}`);
    if (put.kept.includes("mcpServers")) return refused(`${file.path}: mcpServers: expected an object of servers`);
    if (put.kept.length > 0 || put.text === text)
      return refused(`${file.path} has a server ${JSON.stringify(name)} already; \`varve mcp remove\` it first`);
    return put.text;
  });
}

export async function removeServer(file: ServerFile, name: string): Promise<ServerEdit> {
  return await edited(file, (text) => {
    if (text === null) return { type: "absent" };
    const cut = withoutMember(text, ["mcpServers", name]);
    if (cut.type === "bad") return refused(`${file.path}: ${cut.why}`);
    return cut.type === "cut" ? cut.text : cut;
  });
}

/** Kept beside the project's own things in the home: files of other people and programs stay as they are. */
export async function chooseServer(
  { home, project }: { readonly home: string; readonly project: ProjectId },
  name: string,
  use: "on" | "off",
): Promise<ServerEdit> {
  return await edited({ path: serverChoices(home, project), readers: "private" }, (text) => {
    const parsed = parseJson(text ?? "{}");
    const before = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    const kept = Object.entries(before).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []));
    return `${canonicalJson({ ...Object.fromEntries(kept), [name]: use })}\n`;
  });
}

type Changed = string | Exclude<ServerEdit, { readonly type: "done" }>;

async function edited({ path, readers }: ServerFile, change: (text: string | null) => Changed): Promise<ServerEdit> {
  const at = await locate(path);
  if (at.type === "unusable") return refused(`${path}: ${at.why}`);
  if (at.type === "found" && (at.kind !== "file" || at.bytes > bounds.settingsBytesMax))
    return refused(`${path}: it is no regular file of at most ${bounds.settingsBytesMax} bytes`);
  try {
    const changed = change(await textOf(at.path));
    if (typeof changed !== "string") return changed;
    const bytes = new TextEncoder().encode(changed);
    if (readers === "private") await writeWhole(at.path, bytes, true);
    else {
      const written = await writeFile(at.path, bytes);
      if (written.type === "failed") return refused(`${path} cannot be written: ${written.why}`);
    }
    return { type: "done" };
  } catch (error) {
    return refused(`${path}: ${explain(error)}`);
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    // What is no UTF-8 would not come out as it went in.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function refused(why: string): Extract<ServerEdit, { readonly type: "refused" }> {
  return { type: "refused", why };
}
