/** How much a model thinks, from its provider's own scale; a wire that knows fewer steps takes the nearest. */
export type Effort = "low" | "medium" | "high" | "xhigh" | "max";
