// A server for tests that speaks MCP line by line and misbehaves as its script says: `node stub-server.mjs '{...}'`.
// Members of the script, all optional:
//   log        file to which every line that comes in is appended, and `end` when stdin ends
//   once       file: where it exists already, `then` is the script instead; otherwise it is made
//   startMs    waits before it reads
//   banner     text on stdout first, as it is; `stderr`: text there; `stderrBytes`: so many
//   silent     answers nothing
//   deaf       ignores the end of stdin, and SIGTERM
//   era        "older" (the question for the newer protocol is an error), "ends" (it ends at it), "mute" (it is silent), "newer"
//   instructions, capabilities; handshake: members of the answer to initialize
//   tools      a list; pages: [[...], ...] with `cursors` between them; loop / endless: cursors without an end
//   prompts, resources, resourceTemplates: lists; paged: { prompts: [[...], ...] } in their place, with the same `cursors`
//   contents   of a read; messages: of a prompt
//   mute       [method, ...]: these requests get no answer
//   errors     { method: code }: these requests are answered with an error
//   storm      says that its tools changed at each list; `changing`: they do
//   calls      { tool: action }: { result } { error } { crash } { hang } { late: tool } { bytes } { flood, piece } { say, result }
//              { progress: [...], result } { ask: method } { notify: method, result }
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

let script = JSON.parse(process.argv[2] ?? "{}");
if (script.once !== undefined) {
  if (existsSync(script.once)) script = script.then;
  else writeFileSync(script.once, "");
}
const object = { type: "object", properties: {} };
const log = (text) => script.log !== undefined && appendFileSync(script.log, `${text}\n`);
const write = (message) => process.stdout.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
const newer = script.era === "newer";
const stamp = newer ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
const answer = (id, result) => write({ jsonrpc: "2.0", id, result: { ...stamp, ...result } });
const refuse = (id, code, message) => write({ jsonrpc: "2.0", id, error: { code, message } });
const notify = (method, params) => write({ jsonrpc: "2.0", method, ...(params && { params }) });
const late = [];
let lists = 0;
const capabilities = script.capabilities ?? {
  tools: { listChanged: true },
  ...((script.prompts ?? script.paged?.prompts) && { prompts: {} }),
  ...((script.resources ?? script.paged?.resources) && { resources: {} }),
};

const methods = {
  initialize: (id) =>
    answer(id, {
      protocolVersion: "2025-06-18",
      capabilities,
      serverInfo: { name: "stub", version: "1" },
      ...(script.instructions && { instructions: script.instructions }),
      ...script.handshake,
    }),
  "server/discover": (id) => {
    if (script.era === "ends") process.exit(1);
    if (script.era === "mute") return;
    if (!newer) return refuse(id, -32601, "Method not found");
    answer(id, { supportedVersions: ["2026-07-28"], capabilities, instructions: script.instructions });
  },
  "tools/list": (id, { cursor }) => {
    lists += 1;
    if (script.pages === undefined && !script.loop && !script.endless) {
      const made = script.changing ? [{ name: `tool_${lists}`, inputSchema: object }] : [];
      answer(id, { tools: [...(script.tools ?? []), ...made] });
    } else if (script.pages === undefined) unending(id);
    else page(id, cursor, "tools", script.pages);
    if (script.storm) notify("notifications/tools/list_changed");
  },
  "prompts/list": (id, { cursor }) => listed(id, cursor, "prompts"),
  "resources/list": (id, { cursor }) => listed(id, cursor, "resources"),
  "resources/templates/list": (id, { cursor }) => listed(id, cursor, "resourceTemplates", []),
  "resources/read": (id) => answer(id, { contents: script.contents }),
  "prompts/get": (id) => answer(id, { messages: script.messages }),
  "tools/call": (id, { name, arguments: input }) => call(id, name, input),
};

function listed(id, cursor, member, none) {
  const pages = script.paged?.[member];
  if (pages === undefined) return answer(id, { [member]: script[member] ?? none });
  page(id, cursor, member, pages);
}

function unending(id) {
  if (script.loop) return answer(id, { tools: [{ name: `t${lists}`, inputSchema: object }], nextCursor: "same" });
  answer(id, { tools: [], nextCursor: `c${lists}` });
}

function page(id, cursor, member, pages) {
  const at = cursor === undefined ? 0 : script.cursors.indexOf(cursor) + 1;
  const next = script.cursors[at];
  answer(id, { [member]: pages[at], ...(next !== undefined && { nextCursor: next }) });
}

async function call(id, name, input) {
  const action = script.calls?.[name] ?? { result: { content: [{ type: "text", text: JSON.stringify(input) }] } };
  if (action.crash !== undefined) {
    process.stderr.write("it is all over\n", () => process.exit(action.crash));
    return;
  }
  if (action.hang) return late.push(id);
  // What a call before this one waited for comes now.
  if (action.late) for (const old of late.splice(0)) answer(old, { content: [{ type: "text", text: "too late" }] });
  if (action.bytes) return answer(id, { content: [{ type: "text", text: "x".repeat(action.bytes) }] });
  if (action.flood) return flood(action.flood, action.piece);
  if (action.say) write(action.say);
  for (const progress of action.progress ?? []) {
    notify("notifications/progress", { progressToken: id, progress, message: "on it" });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (action.ask) return write({ jsonrpc: "2.0", id: `ask-${id}`, method: action.ask, params: {} });
  if (action.notify) notify(action.notify);
  if (action.error) return refuse(id, action.error.code, action.error.message);
  answer(id, action.result ?? { content: [] });
}

function flood(bytes, piece = `${"noise ".repeat(10_000)}\n`) {
  const many = piece.repeat(Math.ceil(60_000 / piece.length));
  for (let written = 0; written < bytes; written += many.length) process.stdout.write(many);
}

function take(line) {
  log(line);
  if (script.silent) return;
  const { id, method, params = {}, error, result } = JSON.parse(line);
  if (method === undefined) {
    // The answer to what we asked goes back as that of the call we asked it for.
    const text = error === undefined ? JSON.stringify(result) : `${error.code}`;
    if (typeof id === "string") answer(Number(id.slice(4)), { content: [{ type: "text", text }] });
    return;
  }
  if (id === undefined) return;
  if (script.mute?.includes(method)) return;
  const code = script.errors?.[method];
  if (code !== undefined) return refuse(id, code, "no");
  if (methods[method] === undefined) return refuse(id, -32601, "Method not found");
  methods[method](id, params);
}

if (script.banner !== undefined) process.stdout.write(script.banner);
if (script.stderr !== undefined) process.stderr.write(script.stderr);
if (script.stderrBytes !== undefined) process.stderr.write("e".repeat(script.stderrBytes));
if (script.deaf) {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
setTimeout(() => {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", take);
  lines.on("close", () => log("end"));
}, script.startMs ?? 0);
