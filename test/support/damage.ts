import { chmod, mkdir, readdir, readFile, rename, rm, symlink, truncate, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Dice } from "./dice.ts";

/** Where a session's files stand. */
export type Target = { readonly folder: string; readonly log: string; readonly otherLog: string };

/** What happens to the bytes of a log. */
export const logDamages: Readonly<Record<string, (bytes: Buffer, dice: Dice, other: Buffer) => Buffer>> = {
  "a byte is another": (bytes, dice) => {
    const copy = Buffer.from(bytes);
    const at = dice.below(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << dice.below(8));
    return copy;
  },
  "some bytes are others": (bytes, dice) => {
    const copy = Buffer.from(bytes);
    for (let left = 1 + dice.below(12); left > 0; left -= 1) copy[dice.below(copy.length)] = dice.below(256);
    return copy;
  },
  "a line stands twice": (bytes, dice) =>
    onLines(bytes, (lines) => {
      const at = dice.below(lines.length);
      return lines.toSpliced(at, 0, lines[at] ?? "");
    }),
  "a line stands again later": (bytes, dice) =>
    onLines(bytes, (lines) => lines.toSpliced(dice.below(lines.length), 0, dice.pick(lines))),
  "two lines are swapped": (bytes, dice) =>
    onLines(bytes, (lines) => {
      const [a, b] = [1 + dice.below(lines.length - 1), 1 + dice.below(lines.length - 1)];
      return lines.with(a, lines[b] ?? "").with(b, lines[a] ?? "");
    }),
  "neighbours are swapped": (bytes, dice) =>
    onLines(bytes, (lines) => {
      const at = 1 + dice.below(lines.length - 2);
      return lines.with(at, lines[at + 1] ?? "").with(at + 1, lines[at] ?? "");
    }),
  "lines are missing": (bytes, dice) =>
    onLines(bytes, (lines) => lines.toSpliced(1 + dice.below(lines.length - 1), 1 + dice.below(6))),
  "the first lines are missing": (bytes, dice) => onLines(bytes, (lines) => lines.slice(1 + dice.below(20))),
  "a line is cut": (bytes, dice) =>
    onLines(bytes, (lines) => {
      const at = 1 + dice.below(lines.length - 1);
      const line = lines[at] ?? "";
      return lines.with(at, line.slice(0, dice.below(line.length)));
    }),
  "the file is cut": (bytes, dice) => bytes.subarray(0, dice.below(bytes.length)),
  "a line end is lost": (bytes, dice) => {
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at);
    const at = dice.pick(ends);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  },
  "NUL bytes stand in it": (bytes, dice) =>
    inserted(bytes, dice.below(bytes.length), Buffer.alloc(1 + dice.below(600))),
  "NUL bytes stand in the place of others": (bytes, dice) => {
    const copy = Buffer.from(bytes);
    const at = dice.below(copy.length);
    return copy.fill(0, at, at + 1 + dice.below(5_000));
  },
  "a sign is cut in half": (bytes, dice) =>
    inserted(bytes, dice.below(bytes.length), Buffer.from("漢").subarray(0, 1 + dice.below(2))),
  "a byte-order mark and CRLF": (bytes) => Buffer.from(`\uFEFF${bytes.toString("utf8").replaceAll("\n", "\r\n")}`),
  "another session stands in it": (bytes, dice, other) =>
    onLines(bytes, (lines) => lines.toSpliced(1 + dice.below(lines.length), 0, ...linesIn(other))),
  "another session stands behind it": (bytes, _dice, other) => Buffer.concat([bytes, other]),
  "a line of junk": (bytes, dice) =>
    onLines(bytes, (lines) => lines.toSpliced(dice.below(lines.length + 1), 0, dice.pick(junk))),
  "a value of another type": (bytes, dice) =>
    onLines(bytes, (lines) => {
      const at = 1 + dice.below(lines.length - 1);
      return lines.with(at, otherType(lines[at] ?? "", dice));
    }),
  "a member more": (bytes, dice) =>
    onLines(bytes, (lines) => {
      const at = 1 + dice.below(lines.length - 1);
      const more = dice.pick([
        '"__proto__":{"a":1}',
        '"constructor":null',
        '"later":[1,{"x":2}]',
        `"deep":${nested(3_000)}`,
      ]);
      return lines.with(at, (lines[at] ?? "").replace(/\}$/, `,${more}}`));
    }),
  "a text is altered": (bytes, dice) =>
    onLines(bytes, (lines) => {
      const at = 1 + dice.below(lines.length - 1);
      return lines.with(at, (lines[at] ?? "").replace(/step|line|done|true/g, "changed"));
    }),
};

/** What happens to the files beside a log. Deletes and replaces only what can be made again or is told of. */
export const fileDamages: Readonly<Record<string, (target: Target, dice: Dice) => Promise<void>>> = {
  "a blob is gone": async ({ folder }, dice) => unlink(dice.pick(await blobsIn(folder))),
  "a blob has another byte": async ({ folder }, dice) => {
    const path = dice.pick(await blobsIn(folder));
    const bytes = await readFile(path);
    const at = dice.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ 0x20;
    await writeFile(path, bytes);
  },
  "a blob is empty": async ({ folder }, dice) => truncate(dice.pick(await blobsIn(folder)), 0),
  "a blob is a folder": async ({ folder }, dice) => {
    const path = dice.pick(await blobsIn(folder));
    await unlink(path);
    await mkdir(path);
  },
  "a blob leads elsewhere": async ({ folder }, dice) => {
    const path = dice.pick(await blobsIn(folder));
    await unlink(path);
    await symlink(dice.pick(["/nowhere", "/dev/zero", "/etc/passwd", path]), path);
  },
  "all blobs are gone": async ({ folder }) => rm(join(folder, "blobs"), { recursive: true }),
  "the folder of blobs is a file": async ({ folder }) => {
    await rm(join(folder, "blobs"), { recursive: true });
    await writeFile(join(folder, "blobs"), "");
  },
  "the checkpoint is junk": async ({ folder }, dice) => {
    const texts = ["", "{", "null", "[]", '{"version":1}', "\0".repeat(100), nested(10_000)];
    await writeFile(join(folder, "checkpoint.json"), dice.pick(texts));
  },
  "the checkpoint has another byte": async ({ folder }, dice) => {
    const path = join(folder, "checkpoint.json");
    const bytes = await readFile(path);
    const at = dice.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(7));
    await writeFile(path, bytes);
  },
  "the checkpoint is a folder": async ({ folder }) => {
    await rm(join(folder, "checkpoint.json"), { force: true });
    await mkdir(join(folder, "checkpoint.json"));
  },
  "lease files are gone, junk, folders, of huge numbers": async ({ folder }, dice) => {
    for (const name of await readdir(folder)) if (name.startsWith("main.lease.")) await unlink(join(folder, name));
    const [text, number] = [dice.pick(["", "{}\nreleased\n", "\0\0\nreleased\n"]), dice.pick(["3", "7", "99"])];
    if (text.endsWith("released\n")) await writeFile(join(folder, `main.lease.${number}`), text);
    await writeFile(join(folder, "main.lease.x"), "junk");
    await writeFile(join(folder, `main.lease.${"9".repeat(30)}`), "junk");
  },
  "files of strange modes": async ({ folder, log }) => {
    await chmod(log, 0o444);
    await chmod(folder, 0o777);
  },
  "the log leads elsewhere": async ({ log }) => {
    await rename(log, `${log}.there`);
    await symlink(`${log}.there`, log);
  },
};

const junk: readonly string[] = [
  "Segmentation fault (core dumped)",
  "<<<<<<< HEAD",
  "\0".repeat(300),
  '{"role":"user"}',
  "[".repeat(50_000),
  '{"seq":5,"fence":1,"prev":"","at":1,"type":"line-unreadable","line":1,"bytes":1,"why":""}',
  '{"seq":1e99,"fence":1,"prev":"","at":1,"type":"interrupted","by":""}',
  '{"seq":9007199254740991,"fence":1,"prev":"","at":1,"type":"interrupted","by":""}',
  '{"seq":4,"fence":1,"prev":"","at":1e400,"type":"interrupted","by":""}',
  '"',
  "{}",
  "null",
  "\u2028",
  "\uFEFF",
];

function otherType(line: string, dice: Dice): string {
  const members = [...line.matchAll(/"([A-Za-z]+)":("(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null|\{|\[)/g)];
  const member = dice.pick(members);
  const value = member[2] ?? "";
  if (value === "{" || value === "[") return line.replace(member[0], `"${member[1]}":7,"x":${value}`);
  const other = dice.pick([
    "null",
    "{}",
    "[]",
    "-1",
    "1e308",
    '""',
    "true",
    '"\\ud800"',
    nested(600),
    '{"blob":"x","chars":1}',
  ]);
  const at = member.index;
  return `${line.slice(0, at)}"${member[1]}":${other}${line.slice(at + member[0].length)}`;
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function inserted(bytes: Buffer, at: number, what: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);
}

export function linesIn(bytes: Buffer): readonly string[] {
  return bytes.toString("utf8").split("\n").slice(0, -1);
}

function onLines(bytes: Buffer, change: (lines: readonly string[]) => readonly string[]): Buffer {
  return Buffer.from(
    change(linesIn(bytes))
      .map((line) => `${line}\n`)
      .join(""),
  );
}

async function blobsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, "blobs"), { recursive: true });
  return names
    .filter((name) => name.length > 60)
    .sort()
    .map((name) => join(folder, "blobs", name));
}
