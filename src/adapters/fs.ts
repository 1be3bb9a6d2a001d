import type { Fs } from "../ports/fs.ts";
import { locate } from "./fs-locate.ts";
import { readFile } from "./fs-read.ts";
import { writeFile } from "./fs-write.ts";

export function nodeFs(): Fs {
  return { locate, read: readFile, write: writeFile };
}
