/**
 * Every limit of the program that is not a setting, in one table (law 10). Each is reached by a test that names it.
 * Units stand last in the names.
 */
export const bounds = {
  /** What a log entry carries in place; longer text goes to a blob. */
  inlineCharsMax: 4_096,
  /** What one tool call may capture; the rest is counted and said (law 3). */
  captureBytesMax: 64 * 1024 * 1024,
  /** First form of a read whose range the model named. */
  readTokensMax: 8_000,
  /** First form of a command's, search's or server's output. */
  outputTokensMax: 2_000,
  /** A line of a first form; longer lines are cut and say so. */
  lineCharsMax: 2_000,
  commandMsDefault: 120_000,
  commandMsMax: 600_000,
  /** From the polite signal to the forced one, and from that to being given up. */
  killGraceMs: 2_000,
  /** How long an effect that ignores its signal is waited for before it is abandoned (CASES C-021). */
  abandonMsMax: 800,
  parallelCallsMax: 8,
  requestAttemptsMax: 6,
  retryDelayMsFirst: 1_000,
  retryDelayMsMax: 60_000,
  /** A `retry-after` longer than this ends the turn with a message instead of a silent wait. */
  retryAfterMsMax: 10 * 60_000,
  /** No event from the provider for so long ends the attempt. */
  streamIdleMsMax: 5 * 60_000,
  /** Folds of one user turn before the turn ends with the sizes (CASES C-001). */
  foldsPerTurnMax: 2,
  stepsPerTurnMax: 500,
  lineBytesMax: 16 * 1024 * 1024,
  inboxMax: 1_000,
  /** Length of a provider error kept in the log. */
  errorCharsMax: 4_000,
  blocksPerResponseMax: 1_000,
} as const;
