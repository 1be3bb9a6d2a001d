import { randomBytes } from "node:crypto";
import { readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KeptListing, keptListings, keptText, withListing } from "../provider/kept-listings.ts";
import { codeOf } from "./fs-error.ts";
import { makeFolder } from "./store-folder.ts";

const fileIn = (root: string) => join(root, "models-listed.json");

/** What providers said of their models, kept in the home. A file that cannot be read is as good as none. */
export async function readListings(root: string): Promise<readonly KeptListing[]> {
  return keptListings(await readFile(fileIn(root), "utf8").catch(() => ""));
}

/** Throws what the disk says. Two processes at once: one answer is lost, and asked for again. */
export async function keepListing(root: string, listing: KeptListing): Promise<void> {
  await makeFolder(root);
  const part = `${fileIn(root)}.${randomBytes(6).toString("hex")}.part`;
  try {
    await writeFile(part, keptText(withListing(await readListings(root), listing)), { flag: "wx", mode: 0o600 });
    await rename(part, fileIn(root));
  } catch (error) {
    await unlink(part).catch((reason: unknown) => {
      if (codeOf(reason) !== "ENOENT") throw reason;
    });
    throw error;
  }
}
