import type { Guarded } from "../adapters/guarded.ts";
import { maskedInput } from "../adapters/masked-input.ts";
import type { Serving } from "../adapters/serving.ts";
import type { AgentConfig } from "../agent/config.ts";
import type { Effects } from "../agent/effects.ts";
import type { Session } from "../agent/session.ts";
import type { Stores } from "../ports/store.ts";
import type { Clock, Ids } from "../ports/world.ts";
import type { Commands } from "./command-result.ts";
import { commandSetting } from "./command-setting.ts";
import { commandsOf } from "./commands.ts";
import { forksOf } from "./fork.ts";
import type { Described } from "./options.ts";
import { skillCallsOf } from "./skills.ts";
import type { LaneStream } from "./start.ts";

/** A session as a person speaks to it: secrets masked, commands by name, lanes of their own. Once it is closed nothing is taken. */
export function spokenTo(
  options: Described,
  open: {
    readonly session: Session;
    readonly config: AgentConfig;
    readonly fx: Effects;
    readonly stores: Stores;
    readonly stream: LaneStream;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly guarded: Guarded;
    readonly serving: Serving | null;
    readonly isClosed: () => boolean;
  },
): Session & Commands {
  const { session, config, fx, stores, stream, clock, ids, guarded, serving, isClosed } = open;
  const { input, maskedCall } = maskedInput(session, guarded.mask, () => options.onMasked?.());
  const whileOpen =
    <A extends readonly unknown[], R>(act: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (isClosed()) throw new Error("the session is closed: open it again with createSession");
      return await act(...given);
    };
  const forks = forksOf({ options, parent: session, stores, session: stream.session, ids, guarded, serving });
  const interrupt: Session["interrupt"] = async (by) => {
    await Promise.all([session.interrupt(by), forks.interrupt(by)]);
  };
  const idle: Session["idle"] = async () => {
    await Promise.all([session.idle(), forks.idle()]);
  };
  const said = {
    prompt: whileOpen(input.prompt),
    call: whileOpen(input.call),
    activateSkill: whileOpen(input.activateSkill),
  };
  const spoken = { ...session, ...input, ...said, interrupt, idle };
  const find = fx.knowledge?.skills;
  const skills = find === undefined ? null : skillCallsOf(spoken, find);
  const prompts = serving === null ? null : serving.prompts(spoken);
  const commands = commandsOf(
    commandSetting(options, {
      ...{ session: spoken, config, stores, stream, clock, skills, prompts, servers: serving?.lines ?? null },
      forks: { ...forks, run: whileOpen((call, model) => forks.run(maskedCall(call), model)) },
    }),
  );
  return { ...spoken, command: whileOpen(commands.command) };
}
