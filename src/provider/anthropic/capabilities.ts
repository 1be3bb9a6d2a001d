/** What a model takes, by its id (PROTOCOLS A.3, A.6). Unknown ids, local servers among them, get the plainest request. */
export type Capabilities = {
  /** Takes `role: system` inside `messages`. */
  readonly systemMessages: boolean;
  /** Ties its reasoning to the exact text before it, and takes a setting for what to do on a mismatch. */
  readonly bindsReasoning: boolean;
  /** `thinking: {type: "disabled"}` is understood; others get no `thinking` at all. */
  readonly thinkingCanBeOff: boolean;
  /** Takes `thinking: {type: "adaptive"}`; older ones think with a budget only. */
  readonly thinksAdaptively: boolean;
  /** Says why its cache missed, when asked (A.2): the service itself, known by its models' names. */
  readonly diagnoses: boolean;
  /** Clears results of tools when asked (A.4): the service itself, as above. */
  readonly clearsResults: boolean;
  /** Takes references to tools that it is told of but not shown at first (A.7). */
  readonly revealsTools: boolean;
  /** Sums a conversation up when asked (A.5). */
  readonly sumsUp: boolean;
};

export function capabilitiesOf(model: string): Capabilities {
  const name = /claude-(fable|mythos|opus|sonnet|haiku)-(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(model);
  if (name === null) return plainest;
  const [, family = "", major = "0", minor = "0"] = name;
  const version = Number(major) + Number(minor) / 100;
  const large = family === "fable" || family === "mythos";
  return {
    systemMessages: large || (family === "opus" ? version >= 4.08 : version >= 5.05),
    bindsReasoning: version >= (large ? 5.01 : 5.05),
    thinkingCanBeOff: !large && !(family === "opus" && version >= 5.05),
    thinksAdaptively: version >= 4.06,
    diagnoses: true,
    clearsResults: true,
    revealsTools: version >= 4.05,
    sumsUp: version >= (large ? 5 : family === "haiku" ? 5.05 : 4.06),
  };
}

const plainest: Capabilities = {
  systemMessages: false,
  bindsReasoning: false,
  thinkingCanBeOff: false,
  thinksAdaptively: false,
  diagnoses: false,
  clearsResults: false,
  revealsTools: false,
  sumsUp: false,
};
