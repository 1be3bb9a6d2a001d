import type { Brain } from "../../testing/simulate/brain.ts";
import { withSummaries } from "../../testing/simulate/summaries.ts";
import { follow } from "./plan.ts";
import { browserTasks } from "./tasks/browser.ts";

/** The engineer of the demo with a browser. */
const brain: Brain = withSummaries(follow(browserTasks));
export default brain;
