import type { Brain } from "../../testing/simulate/brain.ts";
import { withSummaries } from "../../testing/simulate/summaries.ts";
import { follow } from "./plan.ts";
import { browser } from "./tasks/browser.ts";

/** The engineer of the demo with a browser. */
const brain: Brain = withSummaries(follow([browser]));
export default brain;
