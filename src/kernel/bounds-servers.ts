/** Of MCP servers: a part of the one table in `bounds.ts`. */
export const serverBounds = {
  /**
   * Tools of MCP servers: turns without a call after which one that was found is not declared in the next epoch; characters of
   * all that are; of one search what it shows, and how long it waits for servers that are starting.
   */
  toolIdleTurnsMax: 8,
  revealedCharsMax: 60_000,
  toolsFoundDefault: 5,
  toolsFoundMax: 20,
  toolsFoundCharsMax: 40_000,
  /** Of a small window, for each of the two. */
  serverToolsWindowPercentMax: 10,
  serverSearchMsMax: 10_000,
  /** How long the first message of a session waits for servers that are starting; the others come in when they are there. */
  serversWaitMsMax: 2_000,
  /** How long a server's tool may take where its entry names no time, and what an entry may name; tokens of a first form. */
  serverCallMsDefault: 120_000,
  serverCallMsMax: 60 * 60_000,
  serverResultTokensMax: 25_000,
  /** An MCP server: from its start to its listing, of that the wait for its answer to the newer protocol, then and when tried again; */
  serverStartMsMax: 30_000,
  serverProbeMs: 3_000,
  serverProbeAgainMs: 12_000,
  /** then how long it is waited for its prompts before it is ready without them; */
  serverPromptsMs: 1_000,
  /** the first wait between starts, doubled each time, and starts in a row that fail, or end before so long, before it is only started for a call. */
  serverRetryMsFirst: 1_000,
  serverStartsMax: 5,
  serverSteadyMs: 60_000,
  /** Pages and items of one list of a server, and of resources what is read at once. */
  serverPagesMax: 100,
  serverItemsMax: 5_000,
  /** Characters of all items of one list, as JSON. */
  serverListCharsMax: 8_000_000,
  /** From its notice of a change to the new list; doubled each time, up to so long, until it was quiet for twice that. */
  serverRelistMsFirst: 500,
  serverRelistMsMax: 60_000,
  /** What it writes to stdout that is no message before it is ended, what of stderr is kept, and of that what is told. */
  serverNoiseBytesMax: 64 * 1024 * 1024,
  /** What each line of that counts for beside its bytes: many short ones cost more of our time than a long one. */
  serverNoiseLineBytes: 256,
  serverStderrBytesMax: 16 * 1024,
  serverStderrLinesMax: 5,
  /** Changes of servers in such quick succession are told at once; no more often than that is progress of a call. */
  serverToldMs: 20,
  serverProgressMsMin: 100,
  serverProgressCharsMax: 300,
  /** Notes on one server in one session. */
  serverNotesMax: 20,
  /** MCP servers of one settings file, an alias, and another program's settings file that holds some among much else. */
  serversMax: 100,
  serverNameCharsMax: 64,
  serversForeignBytesMax: 32 * 1024 * 1024,
  /** What a server says of one tool, of one parameter, and a tool's title. */
  serverToolCharsMax: 2_048,
  serverParameterCharsMax: 1_000,
  serverTitleCharsMax: 200,
  /** Calls of servers' tools between two entries of what they cost; servers and tools of one whose costs are kept; a name of one. */
  measuredCallsMax: 50,
  cardServersMax: 100,
  cardToolsMax: 1_000,
  cardNameCharsMax: 200,
  /** Good calls from which on what was measured takes the place of a shipped card; after so many, one counts half. */
  cardCallsMin: 3,
  cardCallsHalved: 20,
  /** Of so many calls the largest result is told. */
  cardCallsMax: 200,
  /** From so many tokens on, on average, a result is dear: it is shown in part, and the rest is asked for. */
  dearTokensMin: 2_000,
  /** What the agent is told of one server's dear tools. */
  cardTokensMax: 120,
  /** A tool's schema as it is declared: characters, schemas within schemas, schemas in all, references within references. */
  schemaCharsMax: 32_000,
  schemaDepthMax: 12,
  schemaNodesMax: 3_000,
  /** Schemas within one from which on it is too long however it is shortened: it is not looked at to its end. */
  schemaNodesSeenMax: 8_000,
  schemaReferencesMax: 40,
  /** Of a check of what a tool is called with: faults it names; its work, in keywords and steps of patterns. */
  argumentFaultsMax: 10,
  argumentWorkMax: 200_000,
  /** What stands in the prompt of a server: of its instructions, and of the names of its tools, all servers' together. */
  serverInstructionsCharsMax: 4_000,
  serverNamesTokensMax: 2_500,
  /** Of a small window, for the names of all tools, and again for the instructions of one server. */
  serverWindowPercentMax: 2,
} as const;
