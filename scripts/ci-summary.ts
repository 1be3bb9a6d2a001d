import { readFileSync } from "node:fs";

/** Prints the last line of `.ci/run` from vitest's JSON report, and fails when a test failed or none ran. */
type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
};

const [file = "", exitCode = "1"] = process.argv.slice(2);
const report: Report = JSON.parse(readFileSync(file, "utf8"));

// A file that could not be loaded has no tests of its own to count: it counts as one failure.
const broken = report.testResults.filter((one) => one.status === "failed" && one.assertionResults.length === 0).length;
const failed = report.numFailedTests + broken;
const unexplained = failed === 0 && exitCode !== "0" ? 1 : 0;

console.log(`${report.numPassedTests} passed, ${failed + unexplained} failed`);
process.exitCode = report.numPassedTests > 0 && failed + unexplained === 0 ? 0 : 1;
