import type { Effects } from "../agent/effects.ts";
import { isRecord } from "../kernel/canonical.ts";
import type { Hook, Hooks } from "../ports/hooks.ts";
import type { Knowledge } from "../ports/knowledge.ts";
import type { Model, WireEvent } from "../ports/model.ts";
import type { FindSkills } from "../ports/skills.ts";
import type { Mask } from "../secrets/mask.ts";
import type { ParsedCall, ToolContext, ToolOutcome } from "../tools/tool.ts";
import { maskedLimits } from "./masked-limits.ts";
import { isErrorEvent } from "./model-stream.ts";

/**
 * The effects of a session with a mask on all that comes in through them: before it is an entry, a blob or a request
 * (CASES C-127). What the model itself says is not touched: it goes back as received, and it was never sent a secret.
 */
export function maskedEffects(fx: Effects, mask: Mask): Effects {
  return {
    ...fx,
    model: maskedModel(fx.model, mask),
    async runTool(call, context, signal) {
      const refusal = whyRefused(call, mask);
      if (refusal !== null) return refusal;
      const outcome = await fx.runTool(call, shownMasked(context, mask), signal);
      return { ...outcome, output: mask.text(outcome.output) };
    },
    async ask(question, signal) {
      const answer = await fx.ask(question, signal);
      return answer === null ? null : { ...answer, why: mask.values(answer.why) };
    },
    async fileText(path, bytesMax) {
      const text = await fx.fileText(path, bytesMax);
      return text === null ? null : mask.text(text);
    },
    observe: async () => (await fx.observe()).map((one) => ({ ...one, text: mask.text(one.text) })),
    knowledge: fx.knowledge === null ? null : maskedKnowledge(fx.knowledge, mask),
    hooks: fx.hooks === null ? null : maskedHooks(fx.hooks, mask),
    // Pinned where another environment had other secrets.
    async projectFacts() {
      const facts = await fx.projectFacts();
      return facts === null ? null : facts.map((fact) => ({ ...fact, text: mask.values(fact.text) }));
    },
  };
}

/** A command may hold a key, too: it runs as it was written, and is known by its masked words. */
function maskedHooks(hooks: Hooks, mask: Mask): Hooks {
  const written = new WeakMap<Hook, Hook>();
  return {
    due: (event, subject) =>
      hooks.due(event, subject).map((hook) => {
        const shown = { ...hook, command: mask.text(hook.command) };
        written.set(shown, hook);
        return shown;
      }),
    async run(hook, input, signal) {
      const ran = await hooks.run(written.get(hook) ?? hook, input, signal);
      return { ...ran, output: mask.text(ran.output), errorOutput: mask.text(ran.errorOutput) };
    },
  };
}

function maskedKnowledge(knowledge: Knowledge, mask: Mask): Knowledge {
  const { skills } = knowledge;
  const masked: FindSkills = async (touched) => {
    const found = (await skills?.(touched)) ?? { type: "all", skills: [], broken: [], notes: [] };
    const shown = found.skills.map((one) => {
      const { body, limits } = one.skill;
      return { ...one, skill: { ...one.skill, body: mask.text(body), limits: maskedLimits(limits, mask) } };
    });
    const broken = found.broken.map((one) => ({ ...one, why: mask.text(one.why) }));
    return { ...found, skills: shown, broken, notes: found.notes.map(mask.text) };
  };
  return {
    ...(skills === undefined ? {} : { skills: masked }),
    async look(at) {
      const told = await knowledge.look(at);
      const attachments = told.attachments.map((one) => ({
        ...one,
        text: mask.text(one.text),
        ...(one.limits === undefined ? {} : { limits: maskedLimits(one.limits, mask) }),
      }));
      return { ...told, attachments, notes: told.notes.map(mask.text) };
    },
  };
}

/** A command that holds a mask would do with it what was meant for the secret: overwrite it, or log in with it. */
function whyRefused({ access }: ParsedCall, mask: Mask): ToolOutcome | null {
  const held = access.type === "command" ? mask.heldBy(access.command) : null;
  if (held === null) return null;
  const output = `Not run: the command holds ${held}, which stands for a secret that is not shown. Take it from where it is at run time (a file, a variable the user passes), or ask the user.`;
  return { ending: "failed", output, exitCode: null, files: [], images: [], form: "whole" };
}

function shownMasked(context: ToolContext, mask: Mask): ToolContext {
  return { ...context, onProgress: (text) => context.onProgress(mask.text(text)) };
}

/** Providers repeat keys that they refuse, and parts of what they were sent. */
function maskedModel(model: Model, mask: Mask): Model {
  return {
    async *stream(request, signal) {
      for await (const event of model.stream(request, signal)) yield maskedEvent(event, mask);
    },
  };
}

function maskedEvent(event: WireEvent, mask: Mask): WireEvent {
  if (event.type === "network-error") return { ...event, message: mask.text(event.message) };
  if (event.type === "http-error") return { ...event, body: maskedValue(event.body, mask) };
  return isErrorEvent(event.data) ? { ...event, data: maskedValue(event.data, mask) } : event;
}

function maskedValue(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return mask.text(value);
  if (Array.isArray(value)) return value.map((one) => maskedValue(one, mask));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskedValue(one, mask)]));
}
