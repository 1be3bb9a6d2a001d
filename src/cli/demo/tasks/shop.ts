import type { Task } from "../plan.ts";
import { hunt } from "./hunt.ts";
import { login } from "./login.ts";
import { prices } from "./prices.ts";
import { wishes } from "./wishes.ts";

/** What the demo's user asks for in the sample shop, in this order. */
export const shopTasks: readonly [Task, ...Task[]] = [login, wishes, prices, hunt];
