import { systemClock } from "../adapters/clock.ts";
import { observe } from "../adapters/observe.ts";
import { type Replayed, replay } from "../agent/replay.ts";
import { exactCounter } from "../budget/exact.ts";
import { canonicalJson } from "../kernel/canonical.ts";
import { hashOf } from "../kernel/hash.ts";
import type { PieceKind } from "../log/block.ts";
import { userContextText } from "../prompt/context.ts";
import { boundaryMarker, type SystemSection, type ToolDeclaration } from "../prompt/doc.ts";
import { dynamicSections, staticSections } from "../prompt/sections.ts";
import { codecFor } from "../provider/codecs.ts";
import { declaredTools } from "./declared-tools.ts";
import { CommandError, exitCodes } from "./exit.ts";
import { blobReader, type Home, mainStream, newestSession, sessionNamed, viewHome } from "./home.ts";
import { type Flags, homeOf, modelNamed, modeOf, positive, verbosityOf } from "./settings.ts";

type DumpFlags = Flags & { readonly continue?: boolean; readonly resume?: string; readonly turn?: string };

/** What one request says before its conversation. */
type Shown = {
  readonly tools: readonly ToolDeclaration[];
  readonly system: readonly SystemSection[];
  readonly appended: readonly { readonly name: string; readonly text: string }[];
};

/**
 * `--dump-system-prompt` (M-54): the exact system text on stdout, section after section as sent, and on stderr the place of
 * the boundary, tokens per section (o200k), the tools and what is appended in front of the messages, and the total.
 */
export async function runDump(flags: DumpFlags): Promise<number> {
  const home = await viewHome(homeOf(process.env), process.cwd());
  const turn = positive("--turn", flags.turn);
  const named = flags.resume !== undefined || flags.continue === true || turn !== undefined;
  const shown = named ? await sentWith(home, flags.resume, turn) : await nextOf(home, flags);
  process.stdout.write(shown.system.map(({ text }) => text).join(""));
  await writeSizes(shown);
  return exitCodes.done;
}

/** What a new session would send first. */
async function nextOf(home: Home, flags: Flags): Promise<Shown> {
  const tools = await declaredTools(home, modelNamed(flags, process.env)?.value ?? "claude-sonnet-5-5");
  const seen = await observe({ cwd: home.cwd, shell: process.env.SHELL ?? "bash", clock: systemClock });
  const observed = Object.fromEntries(seen.map(({ key, text }) => [key, text]));
  const context = userContextText(observed);
  const [mode, verbosity] = [modeOf(flags) ?? "default", verbosityOf(flags) ?? null];
  const system = [...staticSections, ...dynamicSections({ mode, verbosity, observed, assembly: "append" })];
  return { tools, system, appended: [{ name: "user context", text: context }] };
}

async function sentWith(home: Home, name: string | undefined, turn: number | undefined): Promise<Shown> {
  const session = name === undefined ? await newestSession(home) : await sessionNamed(home, name);
  const requests: Replayed[] = [];
  let count = 0;
  const entries = home.stores.log.read(mainStream(session), null);
  await replay(entries, { codecFor, getBlob: blobReader(home, mainStream(session)) }, (_entry, request) => {
    if (request === null) return;
    count += 1;
    if (turn === undefined || count === turn) requests.splice(0, 1, request);
  });
  const found = requests[0];
  if (found === undefined)
    throw new CommandError(`session ${session} has ${count} step requests; there is no number ${turn ?? 1}`);
  const appended = found.doc.pieces.flatMap((piece) => {
    const name = piece.role === "assistant" ? undefined : appendedNames[piece.kind];
    return name === undefined || piece.block.type !== "text" ? [] : [{ name, text: String(piece.block.text) }];
  });
  return { tools: found.doc.tools, system: found.doc.system, appended };
}

const appendedNames: Partial<Readonly<Record<PieceKind, string>>> = {
  context: "user context",
  facts: "facts",
  attached: "attached",
  reminder: "reminder",
};

async function writeSizes({ tools, system, appended }: Shown): Promise<void> {
  const count = await exactCounter();
  const before = system.filter(({ scope }) => scope === "global");
  const after = system.filter(({ scope }) => scope === "session");
  const toolTokens = tools.map((tool) => ({ name: `tool ${tool.name}`, tokens: count(sentTool(tool)) }));
  const sized = (list: readonly { readonly name: string; readonly text: string }[]) =>
    list.map(({ name, text }) => ({ name, tokens: count(text) }));
  const rows = [
    ...sized(before),
    { name: boundaryMarker, tokens: null },
    ...sized(after),
    ...toolTokens,
    ...sized(appended),
  ];
  for (const { name, tokens } of rows) process.stderr.write(`${String(tokens ?? "").padStart(7)}  ${name}\n`);
  const fixed = sum(sized(before)) + sum(toolTokens);
  const total = fixed + sum(sized(after)) + sum(sized(appended));
  process.stderr.write(`${String(fixed).padStart(7)}  sections before the boundary and tools\n`);
  process.stderr.write(`${String(total).padStart(7)}  total (o200k tokens)\n`);
  process.stderr.write(`static part: ${hashOf(canonicalJson(before)).slice(0, 16)}\n`);
}

/** As it stands in an Anthropic request; the other wires' wrapping is longer by a few tokens. */
function sentTool({ name, description, inputSchema }: ToolDeclaration): string {
  return `{"name":${JSON.stringify(name)},"description":${JSON.stringify(description)},"input_schema":${inputSchema}}`;
}

function sum(rows: readonly { readonly tokens: number }[]): number {
  return rows.reduce((total, { tokens }) => total + tokens, 0);
}
