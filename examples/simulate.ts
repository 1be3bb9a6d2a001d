import { readScript, startSimulator } from "varve/testing";

const script = readScript([
  { text: "I look.", calls: [{ tool: "Read", input: { path: "hello.txt" } }] },
  { fault: "overloaded" },
  { expect: { contains: "hello from the file" } },
  { text: "It says hello." },
]);
if (typeof script === "string") throw new Error(script);

const simulator = await startSimulator({ script, clock: "manual" });
try {
  console.log(`point your agent at ${simulator.url}`);
  const models = await fetch(`${simulator.url}/v1/models`, { headers: { authorization: "Bearer any" } });
  console.log(`it answers with ${models.status}`);

  const { violations, misses, script: played } = simulator.report();
  console.log({ violations, misses, played });
} finally {
  await simulator.close();
}
