import type { Command } from "commander";

/** `varve mcp ...`: the servers whose tools a session can use (docs/mcp.md). */
export function addMcpCommands(program: Command, done: (code: number) => void): void {
  const mcp = program.command("mcp").description("MCP servers whose tools a session here can use (docs/mcp.md)");
  const each = (text: string, before: readonly string[] = []) => [...before, text];
  mcp
    .command("list")
    .description("servers, where each comes from, whether it is started, and what its tools cost so far")
    .option("--json", "one JSON object")
    .option("--trust-project", "as with this flag in a session: what came with the project counts as approved")
    .action(async (flags) => done(await (await import("./mcp-list.ts")).runMcpList(flags)));
  mcp
    .command("add <name> [operands...]")
    .usage("NAME [options] -- COMMAND ARGS...\n       varve mcp add NAME [options] URL")
    .description("add a server: a program to start, or an address")
    .showHelpAfterError("varve: options of the server's own command stand behind --, as `-- npx -y NAME`")
    .option(
      "-s, --scope <scope>",
      "local (default: you, in this project), user (you, everywhere) or project (.mcp.json)",
    )
    .option("-t, --transport <type>", "stdio or http; seen from what follows when not given")
    .option("-e, --env <name=value>", "a variable for the program; may be given several times", each)
    .option("-H, --header <name=value>", "a header for the address; may be given several times", each)
    .action(async (name, operands, flags) =>
      done(await (await import("./mcp-edit.ts")).runMcpAdd(name, operands, flags)),
    );
  mcp
    .command("remove <name>")
    .description("take a server out of the file that `varve mcp add` wrote it to")
    .option("-s, --scope <scope>", "local, user or project, where several have one of that name")
    .action(async (name, flags) => done(await (await import("./mcp-edit.ts")).runMcpRemove(name, flags)));
  for (const [command, use, what] of [
    ["enable <name>", "on", "start a server in this project, whatever its file says"],
    ["disable <name>", "off", "start a server no more in this project; no file of others is changed"],
  ] as const)
    mcp
      .command(command)
      .description(what)
      .action(async (name) => done(await (await import("./mcp-edit.ts")).runMcpUse(name, use)));
  mcp
    .command("test <name>")
    .description("start one server, list what it offers, and end it; exit code 1 when it does not work")
    .option("--json", "one JSON object")
    .option("--trust-project", "start it although it came with the project and was not approved")
    .action(async (name, flags) => done(await (await import("./mcp-test.ts")).runMcpTest(name, flags)));
}
