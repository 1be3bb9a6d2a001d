import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashOf } from "../kernel/hash.ts";

export type Approvable = { readonly path: string; readonly text: string };

/** Approvals are files of the user's home, named by what was approved: this content at this place, and no other. */
export async function isApproved(home: string, file: Approvable): Promise<boolean> {
  const name = approvalOf(home, file);
  return await readFile(name, "utf8").then(
    () => true,
    () => false,
  );
}

export async function approve(home: string, file: Approvable): Promise<void> {
  await mkdir(join(home, "trusted"), { recursive: true, mode: 0o700 });
  await writeFile(approvalOf(home, file), `${file.path}\n`, { mode: 0o600 });
}

function approvalOf(home: string, { path, text }: Approvable): string {
  return join(home, "trusted", hashOf(`${path}\0${text}`).replace(/[^A-Za-z0-9]/g, "-"));
}
