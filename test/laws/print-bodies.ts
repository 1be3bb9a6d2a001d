import { readFile } from "node:fs/promises";
import { hashOf } from "../../src/kernel/hash.ts";
import { bodiesOf } from "./stored-log.ts";

/** `node print-bodies.ts FILE`: the hash of each request body that a stored log gives in this process. */
const file = process.argv[2];
if (file === undefined) throw new Error("which log?");
process.stdout.write(JSON.stringify(bodiesOf(await readFile(file, "utf8")).map(hashOf)));
