import type { Brain } from "../../testing/simulate/brain.ts";
import { withSummaries } from "../../testing/simulate/summaries.ts";
import { follow } from "./plan.ts";
import { discount } from "./tasks/discount.ts";

/** The engineer of the short demo. */
const brain: Brain = withSummaries(follow([discount]));
export default brain;
