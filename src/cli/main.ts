#!/usr/bin/env node
import { version } from "../version.ts";

// Only what every start needs stands here: the rest is loaded when it is known what is wanted.
const [, , first] = process.argv;
if (first === "--version" || first === "-V") {
  process.stdout.write(`${version}\n`);
} else if (!isNodeNewEnough(process.versions.node)) {
  process.stderr.write(`varve needs Node 22.19 or newer; this is ${process.versions.node}. Install a newer Node.\n`);
  process.exitCode = 2;
} else {
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(process.argv);
}

function isNodeNewEnough(found: string): boolean {
  const [major = 0, minor = 0] = found.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 19);
}
