import { userHome } from "../adapters/environment.ts";
import { type MemoryPlace, memoryPlaces } from "../adapters/memory-places.ts";
import { environmentMask } from "./environment-mask.ts";
import { exitCodes } from "./exit.ts";
import { type Home, openHome, viewHome } from "./home.ts";
import { memoryOutput } from "./memory-actions.ts";
import { type MemoryFlags, memoryCommand, scopeOf } from "./memory-command.ts";
import { homeOf } from "./settings.ts";
import { endingInLine } from "./terminal.ts";

/** `varve memory`: what is remembered beyond a session, and what waits to be. */
export async function runMemory(action: string, args: readonly string[], flags: MemoryFlags): Promise<number> {
  const command = memoryCommand(action, args, flags);
  const open = command.type === "add" ? openHome : viewHome;
  const places = await placesIn(await open(homeOf(process.env), process.cwd()), flags);
  const mask = environmentMask("masked");
  process.stdout.write(endingInLine(await memoryOutput(command, { places, flags, mask })));
  return exitCodes.done;
}

async function placesIn({ root, cwd, project }: Home, flags: MemoryFlags): Promise<readonly MemoryPlace[]> {
  const scope = scopeOf(flags);
  const all = await memoryPlaces({ home: root, project, cwd, user: userHome() });
  return scope === null ? all : all.filter((place) => place.scope === scope);
}
