import { createSession } from "varve";

const session = await createSession({
  model: "claude-sonnet-5-5",
  endpoints: { anthropic: { apiKey: process.env.ANTHROPIC_API_KEY ?? "" } },
  cwd: process.cwd(),
  mode: "acceptEdits",
});

session.listen((event) => {
  if (event.type === "text") process.stdout.write(event.text);
});

const turn = await session.prompt("Why does the build fail? Do not change anything yet.");
console.log(`\n${turn.reason}`);
await session.close();
