import { isOpenAi, openAiGeneration } from "../openai.ts";

/** What a model takes on this wire, by its id (PROTOCOLS B.2, B.3). Other vendors' servers get the plainest request. */
type Capabilities = {
  /** Takes `reasoning` and sums it up when asked to. */
  readonly reasons: boolean;
  /** May be asked for its reasoning in encrypted form; models of OpenAI's that do not reason refuse that. */
  readonly encrypts: boolean;
  /** Exact cache breakpoints and `prompt_cache_options`; older ones cache by themselves, in steps. */
  readonly breakpoints: boolean;
  /** Takes `configuration_update` items, which change the effort from their place in the input on. */
  readonly configurationUpdates: boolean;
  /** Ties its reasoning to the exact text before it; top-level `instructions` then stand behind the input. */
  readonly bindsReasoning: boolean;
  /** Earlier turns' reasoning stays in the prompt, not only that of the open turn. */
  readonly keepsReasoning: boolean;
  /** Searches for tools by a kind of its own, which the client may run (B.5): OpenAI's, from 5.4 on. */
  readonly searchesTools: boolean;
  /** Sums a conversation up when asked (B.4): the service itself, by its models that reason. */
  readonly sumsUp: boolean;
};

export function capabilitiesOf(model: string): Capabilities {
  const generation = openAiGeneration(model);
  const isNewer = generation >= 5.06;
  const reasons = (generation >= 5 && !model.includes("-chat")) || /^(?:openai\/)?o[1-9]/.test(model);
  return {
    reasons,
    encrypts: reasons || !isOpenAi(model),
    breakpoints: isNewer,
    configurationUpdates: generation >= 6,
    bindsReasoning: generation >= 6.02,
    keepsReasoning: isNewer,
    searchesTools: generation >= 5.04,
    sumsUp: reasons && isOpenAi(model),
  };
}

/** Longest function name of this wire. */
export const toolNameCharsMax = 64;
