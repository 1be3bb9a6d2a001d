import { expect, test } from "vitest";
import { endpointOf } from "../../src/cli/settings.ts";

test("a name that is not known asks for the key of an OpenAI-style service, and the message says that it was taken so", () => {
  const asked = (...call: Parameters<typeof endpointOf>) => expect(() => endpointOf(...call));
  const guess =
    '"haiku" is taken for a model of an OpenAI-style service; `varve models` lists the names that are known';
  asked("chat", { model: "haiku" }, {}).toThrow(guess);
  asked("chat", {}, { VARVE_MODEL: "haiku" }).toThrow(guess);
  asked("chat", { model: "haiku", wire: "chat" }, {}).toThrow(/^no key: set OPENAI_API_KEY [^"]*$/);
  asked("anthropic", { model: "claude-haiku-4-5" }, {}).toThrow(/^no key: set ANTHROPIC_API_KEY [^"]*$/);
});
