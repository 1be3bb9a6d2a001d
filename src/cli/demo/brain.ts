import type { Brain } from "../../testing/simulate/brain.ts";
import { withSummaries } from "../../testing/simulate/summaries.ts";
import { follow } from "./plan.ts";
import { shopTasks } from "./tasks/shop.ts";

/** The demo's engineer: does what is asked of the sample shop, one task after the other in one session. */
const brain: Brain = withSummaries(follow(shopTasks));
export default brain;
