import { bounds } from "../kernel/bounds.ts";

/** What of a project is searched: its prose, its source and other text, and what its sessions archived. */
export const sources = ["docs", "code", "sessions"] as const;
export type Source = (typeof sources)[number];

/** What a file is taken for by its name (relative to the project), or why it is left out. */
export type FileSort =
  | { readonly type: "docs" | "code" }
  | { readonly type: "left-out"; readonly why: "generated" | "binary" | "huge" };

export function sortOf(path: string, bytes: number): FileSort {
  const name = nameOf(path);
  const ending = /\.([^.]+)$/.exec(name)?.[1] ?? "";
  if (binaryEndings.has(ending)) return { type: "left-out", why: "binary" };
  if (generatedNames.has(name) || /\.min\.(?:js|css|mjs)$|\.map$|\.lock$/.test(name))
    return { type: "left-out", why: "generated" };
  if (bytes > (dataEndings.has(ending) ? bounds.projectDataBytesMax : bounds.projectFileBytesMax))
    return { type: "left-out", why: "huge" };
  return { type: isDoc(name, ending) ? "docs" : "code" };
}

/** The smaller the sooner: what people wrote about the project, then other prose, then source, the deepest last. */
export function turnOf(path: string): number {
  const at = firstPaths.indexOf(path.toLowerCase());
  if (at >= 0) return at;
  const name = nameOf(path);
  const depth = Math.min(50, path.split("/").length);
  return (isDoc(name, /\.([^.]+)$/.exec(name)?.[1] ?? "") ? 100 : 200) + depth;
}

/** MISSION's own two files come first: they are written to be found. */
const firstPaths = ["docs/project-context.md", "docs/decisions.md", "readme.md", "agents.md", "claude.md"];

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}

function isDoc(name: string, ending: string): boolean {
  return docEndings.has(ending) || (!name.includes(".") && docNames.test(name));
}

const docEndings = new Set(["md", "mdx", "mdc", "markdown", "txt", "text", "rst", "adoc", "asciidoc", "org", "tex"]);
const docNames = /^(?:readme|changelog|changes|contributing|license|licence|copying|notice|authors|todo|news|history)$/;
const dataEndings = new Set(["json", "jsonl", "ndjson", "csv", "tsv", "xml", "svg", "log", "ipynb", "geojson", "snap"]);
const generatedNames = new Set(["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lockb", "go.sum"]);
const binaryEndings = new Set([
  ...[
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "avif",
    "bmp",
    "ico",
    "tif",
    "tiff",
    "psd",
    "pdf",
    "mp3",
    "mp4",
    "mov",
    "avi",
  ],
  ...["wav", "ogg", "flac", "webm", "zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "tar", "jar", "war", "whl"],
  ...["exe", "dll", "so", "dylib", "a", "o", "obj", "class", "pyc", "wasm", "woff", "woff2", "ttf", "otf", "eot"],
  ...["db", "sqlite", "sqlite3", "bin", "dat", "pack", "parquet", "npy", "npz", "pt", "onnx", "safetensors", "gguf"],
  ...["docx", "xlsx", "pptx", "odt"],
]);
