import { serverBounds } from "./bounds-servers.ts";

/**
 * Every limit of the program that is not a setting, in one table (law 10). Each is reached by a test that names it.
 * Units stand last in the names.
 */
export const bounds = {
  ...serverBounds,
  /** What a log entry carries in place; longer text goes to a blob. */
  inlineCharsMax: 4_096,
  /** The same for a tool's output: every state keeps all of them, so they are kept short. */
  inlineOutputCharsMax: 512,
  /** What one tool call may capture; the rest is counted and said (law 3). */
  captureBytesMax: 64 * 1024 * 1024,
  /** First form of a read whose range the model named. */
  readTokensMax: 8_000,
  /** First form of a command's, search's or server's output. */
  outputTokensMax: 2_000,
  /** Output up to this size is shown as it is; 400 tokens. */
  formBytesWhole: 1_600,
  /** The same for a file that was read without naming a range. */
  fileBytesWhole: 8_000,
  /** JSON that is longer is shortened by lines. */
  jsonFormCharsMax: 8_000_000,
  /** A line of a first form; longer lines are cut and say so. */
  lineCharsMax: 2_000,
  /** Lines of one output that are taken for reports of failures: the newest. */
  failuresMax: 300,
  /** Reports of failures of one output that are compared with each other, to keep one of each kind. */
  failuresComparedMax: 100_000,
  /** What a read gives at once; more of the file is a further range. */
  readBytesMax: 1024 * 1024,
  /** The system hands a process no longer argument (Linux: 128 KiB with its end). */
  commandBytesMax: 131_071,
  commandMsDefault: 120_000,
  commandMsMax: 600_000,
  /** From the polite signal to the forced one, and from that to being given up. */
  killGraceMs: 2_000,
  /** How long an effect that ignores its signal is waited for before it is abandoned (CASES C-021). */
  abandonMsMax: 800,
  parallelCallsMax: 8,
  requestAttemptsMax: 8,
  /** Nobody answers at that address: a server that is not running will not be up for the waiting. */
  networkAttemptsMax: 5,
  retryDelayMsFirst: 1_000,
  retryDelayMsMax: 60_000,
  /** A `retry-after` longer than this ends the turn with a message instead of a silent wait. */
  retryAfterMsMax: 10 * 60_000,
  /** No event from the provider for so long ends the attempt. */
  streamIdleMsMax: 5 * 60_000,
  /** Folds with less than `stepsBetweenFoldsMin` answered steps between them before the turn ends with the sizes (CASES C-001). */
  foldsInARowMax: 2,
  stepsBetweenFoldsMin: 2,
  /**
   * Times that a call's output was shown since the user's newest message before the same output, cut or taken away each time,
   * is not shown once more (CASES C-015); answers in a row that ask for it all the same before the turn ends; calls remembered.
   */
  repeatsShownMin: 2,
  repeatAnswersMax: 3,
  repeatCallsMax: 1_000,
  /** Calls for one summary before the work is folded, compactions in a row without one before none is asked for, and a wait. */
  summaryTriesMax: 3,
  summaryFailuresMax: 3,
  summaryWaitMsMax: 30_000,
  /** What is left for the message that asks for it. */
  summaryAskTokens: 1_000,
  /** Files whose content is shown again behind a compaction. */
  filesAgainMax: 5,
  /** What a summary may have. */
  summaryTokensMax: 3_000,
  stepsPerTurnMax: 500,
  /** Entries that may be missing in a row: a number further on is damage itself. */
  gapMax: 10_000_000,
  lineBytesMax: 16 * 1024 * 1024,
  /** How long an append to a project waits for other processes' appends. */
  lockMsMax: 5_000,
  /** Tries at a lease that others take at the same moment. */
  leaseAttemptsMax: 20,
  /** Without a heartbeat for so long, a lease holder whose process we cannot see counts as gone. */
  leaseSilentMsMax: 30_000,
  /** A log line in more pieces than this is junk through and through, such as a binary file appended by mistake. */
  linePiecesMax: 64,
  /** What a list of sessions shows of the first message. */
  titleCharsMax: 120,
  /** Length of a provider error kept in the log. */
  errorCharsMax: 4_000,
  blocksPerResponseMax: 1_000,
  /** Answers over which a limit holds that was guessed at, for its refusal named none. */
  guessAnswersMax: 40,
  /** A smaller window than this is none: a server that names one means something else, or nothing. */
  limitTokensMin: 256,
  /** Bytes of one response as they leave the socket, and how long it may go on: no output limit needs as much. */
  responseBytesMax: 64 * 1024 * 1024,
  responseMsMax: 2 * 60 * 60_000,
  /** A report of more tokens than this is no report. */
  reportedTokensMax: 100_000_000,
  /** Nesting of a JSON body that we cut into segments. */
  jsonDepthMax: 500,
  /** Nesting of a value that comes from outside: less, because in a body it stands inside messages and blocks. */
  valueDepthMax: 400,
  /** One search of the tree, and the files or lines it may show. */
  searchMsMax: 30_000,
  matchesDefault: 100,
  matchesMax: 1_000,
  globFilesMax: 500,
  /** Longest search pattern; alternatives that the braces of one glob may stand for. */
  patternCharsMax: 1_000,
  globAlternativesMax: 64,
  /** A provider takes 5 MB of base64 per image. */
  imageBytesMax: 3_750_000,
  /** A provider refuses an image with a longer side. */
  imagePixelsMax: 8_000,
  /** Blocks of content of one answer of a server, and images among them: a provider refuses a request that holds too many. */
  resultBlocksMax: 10_000,
  resultImagesMax: 20,
  resultImagesBytesMax: 12_000_000,
  /** Links that one path may lead through before it counts as a loop. */
  linksMax: 40,
  /** Steps upwards in one path, each of which is looked up. */
  pathStepsUpMax: 100,
  /** Places one edit may change at once. */
  replacementsMax: 100_000,
  /** Changes of one MultiEdit, and items of one todo list. */
  editsPerCallMax: 100,
  todosMax: 100,
  /** Commands beside the turn at once, how long one may go on, and what a look at one shows of what is new. */
  tasksMax: 10,
  taskMsMax: 24 * 60 * 60_000,
  taskLookCharsMax: 64 * 1024,
  /** Ended tasks whose unread output is still at hand, and what the word of an end quotes of its output. */
  tasksRememberedMax: 20,
  taskTailLinesMax: 20,
  taskTailCharsMax: 1_200,
  /** Answers without a change of the todo list before a reminder of it, and between two of them. */
  stepsBetweenTodoRemindersMin: 10,
  /** One page of the web: bytes as they come and again once unpacked, time, and hops within one host. */
  webBytesMax: 8 * 1024 * 1024,
  webMsMax: 30_000,
  webHopsMax: 5,
  webUrlCharsMax: 4_000,
  /** Of a page, what is looked through for its article. */
  webHtmlCharsMax: 2 * 1024 * 1024,
  /** Results of one search of the web, and what is shown of each. */
  searchResultsMax: 10,
  searchTextCharsMax: 400,
  /** A longer command is never taken for a simple one. */
  simpleCommandCharsMax: 1_000,
  /** A longer command, or one made of more commands, is not compared with rules: it asks. */
  shellCharsMax: 20_000,
  shellPartsMax: 200,
  /** Commands in commands (wrappers, texts for another shell) that are looked into for what is refused. */
  shellNestingMax: 8,
  /** One settings file, and the rules of one list in it. */
  settingsBytesMax: 1024 * 1024,
  rulesMax: 2_000,
  ruleCharsMax: 2_000,
  /** What is read of a repository's settings and index before git runs unasked; a larger one asks. */
  gitConfigBytesMax: 256 * 1024,
  gitIndexBytesMax: 32 * 1024 * 1024,
  /** Files whose changes on disk are looked for before each message: those the model saw last. */
  filesWatchedMax: 200,
  /** What may be piped in beside a prompt, and how long a pipe that stays silent is waited for. */
  stdinBytesMax: 32 * 1024 * 1024,
  stdinSilentMsMax: 2_000,
  /** Lines looked at when an edit's text was not found, to show the place that is most like it. */
  nearestLinesMax: 20_000,
  /** How long a provider is asked for its listing of models when a session starts, and when the user asks for it. */
  listingMsMax: 2_000,
  listingAskedMsMax: 15_000,
  /** A kept listing is asked for anew after so long, where a model's window is known from nowhere else. */
  listingAgeMsMax: 24 * 60 * 60_000,
  listingBytesMax: 8 * 1024 * 1024,
  listingPagesMax: 10,
  /** Values of the environment that are masked, and how short and how long one is. */
  secretsMax: 200,
  secretCharsMin: 8,
  secretCharsMax: 16_384,
  /** What an audit remembers of one session: blocks apart (later ones are added up), texts and calls to compare with, */
  auditBlocksMax: 200_000,
  auditSeenMax: 100_000,
  /** calls that a later report may still correct, */
  auditCallsMax: 20_000,
  /** lanes and parts apart (the rest is one), open calls, examples of a finding, points of a series, sessions with one. */
  auditLanesMax: 1_000,
  auditPartsMax: 500,
  auditPendingMax: 8,
  auditGroupsMax: 20_000,
  auditExamplesMax: 20,
  seriesPointsMax: 2_000,
  seriesMax: 12,
  /** Another program's session file: one line of it, and one that is a single JSON value. */
  transcriptLineBytesMax: 32 * 1024 * 1024,
  transcriptDocumentBytesMax: 64 * 1024 * 1024,
  /** Records from the start of a file that are looked at for its format, and lines without any before it counts as none. */
  transcriptRecordsSniffed: 20,
  transcriptLinesSniffed: 2_000,
  /** One search for transcripts: files it may find, names it may look at, folders within folders. */
  transcriptFilesMax: 100_000,
  transcriptEntriesMax: 2_000_000,
  transcriptDepthMax: 40,
  /** What an audit replays to say what Varve would have made of it: the newest sessions, within size and time. */
  auditReplaysMax: 8,
  auditReplayFileBytesMax: 8 * 1024 * 1024,
  auditReplayBytesMax: 24 * 1024 * 1024,
  auditReplayMsMax: 15_000,
  /** What is kept of a piece of a transcript that no reader knows. */
  unknownCharsMax: 64 * 1024,
  /** Another program's database: how long its lock is waited for, and the largest that is copied to be read. */
  databaseWaitMs: 1_000,
  databaseCopyBytesMax: 2 * 1024 * 1024 * 1024,
  /** Work of one search of an original with a pattern, in steps of its automaton. */
  patternWorkMax: 64_000_000,
  /** Shortest beginning of a handle that stands for it; results of one search of all that a session archived. */
  handleCharsMin: 6,
  searchHitsMax: 10,
  /** An original that is longer is not indexed but read at each search; what one search adds to the index. */
  indexCharsMax: 1024 * 1024,
  indexSearchCharsMax: 32 * 1024 * 1024,
  /** Originals one search compares with its words, of those the index names; what it reads where there is no index. */
  indexCandidatesMax: 300,
  indexScanCharsMax: 512 * 1024 * 1024,
  /** How long another process's lock on the index is waited for, before all is read instead. */
  indexWaitMs: 300,
  /** A project's index: files and bytes of one, of data files fewer; characters of all, pages (of 4 KiB) of the database. */
  projectFilesMax: 20_000,
  projectFileBytesMax: 512 * 1024,
  projectDataBytesMax: 64 * 1024,
  projectPagesMax: 65_536,
  /** How long one search brings the index up to date before it searches with what is there. */
  projectLookMsMax: 4_000,
  /** Sessions of a project that are searched, the newest, and what of one original is indexed. */
  projectSessionsMax: 300,
  projectOriginalCharsMax: 128 * 1024,
  /** Pieces that the index names for one search, of each source and root; documents whose pieces are compared. */
  projectCandidatesMax: 150,
  projectDocumentsMax: 80,
  /** Pieces that an embedder is asked of, the likeliest documents first. */
  projectEmbeddedMax: 200,
  /** Where there is no index: what one search reads. */
  projectScanCharsMax: 32 * 1024 * 1024,
  /** Fragments of one search. */
  fragmentsMax: 20,
  /** What of a question is compared with the pieces of a project. */
  questionCharsMax: 4_000,
  /** What of one text of a server's tool is compared with a search. */
  searchedCharsMax: 20_000,
  /** One fact; all of them; their tokens, which are at most that percentage of the window, too. */
  factCharsMax: 500,
  factsMax: 20,
  factTokensMax: 2_000,
  factWindowPercentMax: 5,
  /** Proposals of one message, and those that wait, were refused or retired and are remembered: the newest. */
  factsPerMessageMax: 10,
  factsRememberedMax: 100,
  /** Of a message, what is looked through for rules. */
  factMessageCharsMax: 20_000,
  /** A fact is said again once its nearest copy is so far from the end of the prompt. */
  factDistanceTokensMax: 60_000,
  /** A project's `context-budget.md`. */
  contextBudgetCharsMax: 64 * 1024,
  /** One output style; files looked at in one folder of them; names said where one is not known. */
  styleBytesMax: 256 * 1024,
  styleTokensMax: 2_000,
  styleFilesMax: 100,
  stylesNamedMax: 50,
  /** One look at what project and user keep for the agent. */
  lookMsMax: 5_000,
  /** Rounds of a sliding window: the least that it keeps, the most, and below how many work on several files is warned of. */
  windowRoundsMin: 2,
  windowRoundsMax: 30,
  windowRoundsWarned: 12,
  /** Less room from the low-water mark to the auto line is no epoch worth keeping: the smallest batch that is cleared. */
  epochTokensMin: 4_000,
  /**
   * Rounds between two rolling summaries; in a small window as many as stay when it slides, and so many more; tokens of what one
   * is made of; calls for one.
   */
  rollingRounds: 10,
  rollingLines: 3,
  rollingAskTokensMax: 8_000,
  rollingTriesMax: 2,
  /** How long the end of a session waits for a summary that is under way. */
  rollingCloseMsMax: 2_000,
  /** Notes to the user in one session. */
  notesMax: 200,
  /** Turns without a word of it before a skill counts as finished. */
  skillIdleTurnsMax: 8,
  /** Skills of one session, bytes of one's file, folders below the working directory that are looked into, one look at all. */
  skillsMax: 2_000,
  skillBytesMax: 256 * 1024,
  skillSubfoldersMax: 100,
  skillsMsMax: 4_000,
  /** All skills in use at once; a larger one is warned about; and a listing, which is at most that percentage of the window, too. */
  skillsTokensMax: 8_000,
  skillTokensUsual: 5_000,
  skillPartTokensMin: 1_000,
  skillListTokensMax: 4_000,
  skillListWindowPercentMax: 2,
  /**
   * A file of instructions (CLAUDE.md, AGENTS.md, rules): what is read of it, kept of it to be shown, and may enter; all of
   * them together, which is at most that percentage of the window, too, and of what system, tools and reserve leave of a small
   * one; what enters later in the session may have as much again.
   */
  instructionFileBytesMax: 4 * 1024 * 1024,
  instructionCharsMax: 256 * 1024,
  instructionTokensMax: 10_000,
  instructionsTokensMax: 20_000,
  instructionsWindowPercentMax: 10,
  instructionsLeftPercentMax: 25,
  windowHeadTokens: 7_000,
  /** Files of instructions in force at once, names looked at for rules, folders looked into, hops of imports, imports of a file. */
  instructionFilesMax: 60,
  ruleNamesMax: 1_000,
  ruleFoldersDeepMax: 10,
  ruleDescriptionCharsMax: 300,
  instructionFoldersMax: 200,
  importHopsMax: 4,
  importsMax: 100,
  /** Tries at a project's stream that others append to at the same moment. */
  projectAppendsMax: 20,
  /** Memory files: what is read of one, how many of a folder (the newest), and the names looked at. */
  memoryBytesMax: 64 * 1024,
  memoryFilesMax: 1_000,
  memoryNamesMax: 5_000,
  /** Of an index, `MEMORY.md`: as others read it. */
  memoryIndexLinesMax: 200,
  memoryIndexBytesMax: 25 * 1024,
  memoryIndexTokensMax: 1_000,
  /** Memories chosen for one message, their tokens in all, and those of one epoch. */
  memoriesPerTurnMax: 5,
  memoryTokensMax: 3_000,
  memoriesPerEpochMax: 15,
  /** Characters of all memories that are compared with a message. */
  memoryWeighedCharsMax: 800_000,
  /** What is kept by one call, proposals that wait for the user, and refused ones that are remembered. */
  memoryTextCharsMax: 4_000,
  memoryInboxMax: 50,
  memoryRefusedMax: 200,
  /** Hooks of one settings file, how many of one event run at the same time, and how long one takes. */
  hooksMax: 200,
  hooksAtOnceMax: 8,
  hookMsDefault: 60_000,
  hookMsMax: 600_000,
  /** Of the end of a session, which a person waits for. */
  hookEndMsMax: 5_000,
  /** What a hook may print before it is ended, of that what is read, and what of one of its texts is passed on. */
  hookFloodBytesMax: 4 * 1024 * 1024,
  hookOutputBytesMax: 1024 * 1024,
  hookTextCharsMax: 10_000,
  /** A longer text is cut before a hook is told of it. */
  hookInputCharsMax: 256 * 1024,
  /** How often in a row hooks may keep a turn from ending. */
  stopHookContinuesMax: 8,
  /** Fields (YAML) in front of a file of skills, commands, rules, styles or memory. */
  fieldsCharsMax: 16 * 1024,
  /** Files of slash commands that are looked at, names of files and folders, folders within folders, and one such file. */
  commandFilesMax: 2_000,
  commandNamesMax: 10_000,
  commandDepthMax: 8,
  commandFileBytesMax: 256 * 1024,
  /** Runs of `varve init` that are looked through for the one to take back, the newest. */
  initBackupsMax: 1_000,
} as const;
