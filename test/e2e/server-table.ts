import type { Json } from "../../src/kernel/canonical.ts";
import type { Program } from "./install-client.ts";

/** An MCP server of other people, and what it is asked for. */
export type ServerProgram = Program & {
  readonly args: readonly string[];
  /** `url`: a service on loopback that answers `{}` to everything. */
  readonly env: (url: string) => Readonly<Record<string, string>>;
  readonly toolsMin: number;
  /** One that changes nothing and needs no account. */
  readonly call: { readonly tool: string; readonly input: Json };
  /** In a session: which tool each of these words must find among all of all servers. */
  readonly finds: Readonly<Record<string, string>>;
  /** Called in a session; changes nothing, and says this where there is no account. */
  readonly asks: { readonly tool: string; readonly input: Json; readonly says: RegExp };
};

/** A native program; its platform's package comes as an optional dependency. */
const azure: ServerProgram = {
  name: "azure",
  package: "@azure/mcp@2.0.5",
  bin: "azmcp",
  postinstall: null,
  args: ["server", "start", "--mode", "all"],
  env: () => ({ AZURE_MCP_COLLECT_TELEMETRY: "false" }),
  toolsMin: 235,
  call: { tool: "get_azure_bestpractices_get", input: { resource: "general", action: "code-generation" } },
  finds: {
    "list my storage accounts": "storage_account_get",
    "read a secret from the key vault": "keyvault_secret_get",
    "which Azure subscriptions are there": "subscription_list",
  },
  asks: { tool: "subscription_list", input: {}, says: /Authentication failed/ },
};

const gitlab: ServerProgram = {
  name: "gitlab",
  package: "@zereight/mcp-gitlab@2.1.64",
  bin: "zereight-mcp-gitlab",
  postinstall: null,
  args: [],
  env: (url) => ({ GITLAB_PERSONAL_ACCESS_TOKEN: "dummy", GITLAB_API_URL: `${url}/api/v4`, GITLAB_TOOLSETS: "all" }),
  toolsMin: 201,
  call: { tool: "health_check", input: {} },
  finds: {
    "approve a merge request": "approve_merge_request",
    "retry a failed pipeline job": "retry_pipeline_job",
    "list the webhooks of a project": "list_webhooks",
  },
  asks: { tool: "health_check", input: {}, says: /ok|status/ },
};

export const serverPrograms: readonly ServerProgram[] = [azure, gitlab];
