import type { Wire } from "../../src/kernel/usage.ts";

/** A program of other people, and how it is pointed at the simulator. */
export type Client = {
  readonly name: string;
  readonly package: string;
  readonly bin: string;
  /** Its own step of installation, where it has one: it links the binary of this platform. No other script runs. */
  readonly postinstall: string | null;
  readonly wire: Wire;
  /** Each is driven through a loop and a resume. */
  readonly models: readonly string[];
  /** By model: what reasoning looks like in the requests that carry it back; models that are not asked to think have none. */
  readonly reasoning: Readonly<Record<string, RegExp>>;
  /** A file below its home, written first. */
  readonly settings: (url: string, model: string) => { readonly file: string; readonly content: unknown } | null;
  readonly env: (url: string, model: string) => Readonly<Record<string, string>>;
  readonly first: (prompt: string, url: string, model: string) => readonly string[];
  readonly resumed: (prompt: string, url: string, model: string) => readonly string[];
  /** The rule that its resumed session breaks, by a fault of its own. */
  readonly resumeBreaks: string | null;
};

const limits = { contextWindow: 200_000, maxTokens: 8_000 };

const pi: Client = {
  name: "pi",
  package: "@mariozechner/pi-coding-agent@0.73.1",
  bin: "pi",
  postinstall: null,
  wire: "anthropic",
  models: ["claude-sonnet-4-5"],
  reasoning: {},
  settings: (url, id) => {
    const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const model = { id, name: "Simulated", reasoning: false, input: ["text"], cost, ...limits };
    const provider = { baseUrl: url, api: "anthropic-messages", apiKey: "dummy", models: [model] };
    return { file: ".pi/agent/models.json", content: { providers: { simulator: provider } } };
  },
  env: () => ({ PI_OFFLINE: "1" }),
  first: (prompt, _url, model) => ["-p", "--provider", "simulator", "--model", model, prompt],
  resumed: (prompt, _url, model) => ["-p", "-c", "--provider", "simulator", "--model", model, prompt],
  resumeBreaks: null,
};

const opencode: Client = {
  name: "opencode",
  package: "opencode-ai@1.18.33",
  bin: "opencode",
  postinstall: "node_modules/opencode-ai/postinstall.mjs",
  wire: "chat",
  models: ["sim-chat"],
  reasoning: {},
  settings: (url, model) => {
    const models = { [model]: { limit: { context: 128_000, output: 8_000 } } };
    const options = { baseURL: `${url}/v1`, apiKey: "dummy" };
    const provider = { simulator: { npm: "@ai-sdk/openai-compatible", options, models } };
    const content = { autoupdate: false, share: "disabled", provider, model: `simulator/${model}` };
    return { file: ".config/opencode/opencode.json", content };
  },
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  first: (prompt, _url, model) => ["run", "--model", `simulator/${model}`, prompt],
  resumed: (prompt, _url, model) => ["run", "-c", "--model", `simulator/${model}`, prompt],
  resumeBreaks: null,
};

function codexFlags(url: string, model: string): readonly string[] {
  const provider = `{name="simulator",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;
  const settings = ['model_provider="simulator"', `model_providers.simulator=${provider}`, `model="${model}"`];
  return [
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    ...settings.flatMap((setting) => ["-c", setting]),
  ];
}

const codex: Client = {
  name: "codex",
  package: "@openai/codex@0.171.0",
  bin: "codex",
  postinstall: null,
  wire: "responses",
  models: ["gpt-5.5", "gpt-6-sol"],
  reasoning: { "gpt-5.5": /"encrypted_content":"/, "gpt-6-sol": /"encrypted_content":"/ },
  settings: () => null,
  env: () => ({ OPENAI_API_KEY: "dummy" }),
  first: (prompt, url, model) => ["exec", ...codexFlags(url, model), prompt],
  resumed: (prompt, url, model) => ["exec", "resume", "--last", ...codexFlags(url, model), prompt],
  resumeBreaks: null,
};

const geminiFlags = (model: string) => ["--approval-mode", "yolo", "--skip-trust", "-m", model, "-o", "json"];

const gemini: Client = {
  name: "gemini-cli",
  package: "@google/gemini-cli@0.61.0",
  bin: "gemini",
  postinstall: null,
  wire: "gemini",
  models: ["gemini-2.5-flash", "gemini-3.1-pro-preview"],
  reasoning: { "gemini-3.1-pro-preview": /"thoughtSignature":"(?!skip_)/ },
  settings: () => ({
    file: ".gemini/settings.json",
    content: {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    },
  }),
  env: (url) => ({ GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url }),
  first: (prompt, _url, model) => ["-p", prompt, ...geminiFlags(model)],
  resumed: (prompt, _url, model) => ["--resume", "latest", "-p", prompt, ...geminiFlags(model)],
  // Its session file holds every result twice, with the call and as a message, and it sends both: two responses to one
  // call, which C.2 refuses.
  resumeBreaks: "call-answered",
};

const qwen: Client = {
  name: "qwen-code",
  package: "@qwen-code/qwen-code@0.24.4",
  bin: "qwen",
  postinstall: null,
  wire: "chat",
  // One of a service that caches by itself, one that reasons and must get its reasoning back.
  models: ["kimi-k3", "deepseek-flash"],
  reasoning: { "deepseek-flash": /"reasoning_content":"I think/ },
  settings: () => null,
  env: (url, model) => ({ OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model }),
  first: (prompt) => ["-p", prompt, "--yolo", "--auth-type", "openai", "-o", "json"],
  resumed: (prompt) => ["-c", "-p", prompt, "--yolo", "--auth-type", "openai", "-o", "json"],
  resumeBreaks: null,
};

const claudeFlags = (model: string) => ["--allowedTools", "Read,Bash", "--output-format", "json", "--model", model];

/** Not free software: a peer of these tests only, and nothing of what it says is kept. */
const claude: Client = {
  name: "claude-code",
  package: "@anthropic-ai/claude-code@2.1.332",
  bin: "claude",
  postinstall: "node_modules/@anthropic-ai/claude-code/install.cjs",
  wire: "anthropic",
  models: ["claude-sonnet-4-5", "claude-sonnet-5-5"],
  reasoning: { "claude-sonnet-4-5": /"signature":"/, "claude-sonnet-5-5": /"signature":"/ },
  settings: () => null,
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  first: (prompt, _url, model) => ["-p", prompt, ...claudeFlags(model)],
  resumed: (prompt, _url, model) => ["-c", "-p", prompt, ...claudeFlags(model)],
  resumeBreaks: null,
};

export const clients: readonly Client[] = [pi, codex, gemini, qwen, opencode, claude];

/** What CI drives: one for each wire, and quick to install. The others by name. */
export const usualNames: readonly string[] = ["pi", "codex", "gemini-cli", "qwen-code"];
