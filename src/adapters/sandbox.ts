import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

type ProgramCall = { readonly path: string; readonly args: readonly string[] };

/** Turns a program's call into one that runs it confined, in that folder. */
export type Confine = (program: ProgramCall, cwd: string) => ProgramCall;

export type Sandbox = { readonly confine: Confine; close(): Promise<void> };

export type SandboxFound =
  | { readonly type: "found"; readonly sandbox: Sandbox }
  | { readonly type: "missing"; readonly why: string };

export type SandboxOptions = {
  /** Folders that may be written, the real ones. */
  readonly roots: readonly string[];
  /** Folders whose content is nobody's business in there: sessions, keys. */
  readonly hidden: readonly string[];
  readonly network: "on" | "off";
  readonly bwrap?: string;
};

/**
 * Bubblewrap: everything is read-only but the roots and a `/tmp` of the session's own, there is no network, no process
 * outside can be seen, and what runs inside ends when its first process or we do. Why it is used directly: decision 0017.
 */
export async function openSandbox(options: SandboxOptions): Promise<SandboxFound> {
  const { bwrap = "bwrap" } = options;
  if (process.platform !== "linux") return { type: "missing", why: "there is none for this system (Linux only)" };
  const why = await probe(bwrap);
  if (why !== null) return { type: "missing", why };
  const temporary = await mkdtemp(join(tmpdir(), "varve-sandbox-"));
  const confine: Confine = ({ path, args }, cwd) => ({
    path: bwrap,
    args: [...mounts(options, temporary), "--chdir", cwd, "--", path, ...args],
  });
  return { type: "found", sandbox: { confine, close: () => rm(temporary, { recursive: true, force: true }) } };
}

/** Folders of the user's home where programs keep their keys. */
export function keyFolders(): readonly string[] {
  return [".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config/gcloud", ".config/gh"].map((name) =>
    join(homedir(), name),
  );
}

/** Looked at for each command: what exists may change, and later mounts lie over earlier ones. */
function mounts({ roots, hidden, network }: SandboxOptions, temporary: string): readonly string[] {
  const guarded = roots.flatMap((root) => startersIn.map((name) => join(root, name)));
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", temporary, "/tmp"],
    ...existing(hidden).flatMap((path) => ["--tmpfs", path]),
    ...existing(roots).flatMap((path) => ["--bind", path, path]),
    ...existing(guarded).flatMap((path) => ["--ro-bind", path, path]),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", ...(network === "off" ? ["--unshare-net"] : [])],
    ...["--die-with-parent", "--cap-drop", "ALL", "--setenv", "TMPDIR", "/tmp"],
  ];
}

/** What starts commands outside when it is changed inside. */
const startersIn = [".git/config", ".git/hooks", ".varve", ".claude"];

function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap(realPath))];
}

function realPath(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    // It is not there, or a link that leads nowhere: nothing to mount.
    return [];
  }
}

const install = "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)";

/** null: it works here. The system may forbid what it needs although it is installed. */
function probe(bwrap: string): Promise<string | null> {
  const args = ["--ro-bind", "/", "/", "--proc", "/proc", "--unshare-net", "--unshare-pid", "true"];
  return new Promise((resolve) => {
    execFile(bwrap, args, { timeout: probeMsMax }, (error, _stdout, stderr) => {
      if (error === null) resolve(null);
      else if (error.code === "ENOENT") resolve(`bubblewrap is not installed: ${install}`);
      else resolve(`bubblewrap does not work here: ${stderr.split("\n")[0]?.trim() || error.message}`);
    });
  });
}

const probeMsMax = 5_000;
