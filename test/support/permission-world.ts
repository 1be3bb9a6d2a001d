import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFs } from "../../src/adapters/fs.ts";
import { nodeShell } from "../../src/adapters/shell.ts";
import type { PermissionMode } from "../../src/log/entry.ts";
import { createBoundary } from "../../src/workspace/boundary.ts";
import { gitDoubt } from "../../src/workspace/git-repository.ts";
import { type Decision, judge, type Wanted } from "../../src/workspace/permission.ts";
import type { Ground } from "../../src/workspace/permission-ground.ts";
import { parseRule, type Rule, type RuleKind, type Scope } from "../../src/workspace/rule.ts";

export type Lists = { readonly [K in RuleKind]?: readonly string[] };

/** Rules as a file of some scope would bring them. */
export function rulesOf(lists: Lists, scope: Scope = "user"): readonly Rule[] {
  const kinds = ["deny", "ask", "allow"] as const;
  return kinds.flatMap((kind) =>
    (lists[kind] ?? []).map((text) => {
      const parsed = parseRule(text, { kind, file: "settings.json", scope });
      if (parsed.type === "bad") throw new Error(`${text}: ${parsed.why}`);
      return parsed.rule;
    }),
  );
}

/** A folder of its own (`<base>/app`, with a real git repository on request) and the real permission over it. */
export async function permissionWorld(
  options: { readonly lists?: Lists; readonly scope?: Scope; readonly git?: boolean } = {},
) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "varve-permission-")));
  const cwd = join(base, "app");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
  if (options.git === true) {
    execFileSync("git", ["init", "-q"], { cwd });
    execFileSync("git", ["add", "a.txt"], { cwd });
    commit(cwd);
  }
  const fs = nodeFs();
  const boundary = await createBoundary({ fs, roots: [cwd], outsideAllowed: () => false });
  const rules = rulesOf(options.lists ?? {}, options.scope);
  const ground: Ground = { cwd, home: base, boundary, rules, gitDoubt: (folder) => gitDoubt(folder, fs) };
  const decide = (
    access: Wanted,
    more: { mode?: PermissionMode; tool?: string; input?: unknown; lists?: Lists } = {},
  ): Promise<Decision> => {
    const { mode = "default", tool = "Bash", input = null, lists } = more;
    return judge(
      { mode, tool, access, input },
      lists === undefined ? ground : { ...ground, rules: rulesOf(lists, options.scope) },
    );
  };
  const command = (text: string, more: Parameters<typeof decide>[1] = {}) =>
    decide({ type: "command", command: text }, more);
  return {
    base,
    cwd,
    fs,
    boundary,
    decide,
    command,
    run: (text: string) => runIn(cwd, text),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

export function commit(cwd: string): void {
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "x"], { cwd });
}

/** As the Bash tool runs it. */
export async function runIn(cwd: string, text: string): Promise<void> {
  const request = { command: { type: "script", text }, cwd, timeoutMs: 5_000, bytesMax: 10_000 } as const;
  await nodeShell({ env: { ...process.env, PROVIDER_KEY: "TESTKEY-9" } }).run(request, new AbortController().signal);
}
