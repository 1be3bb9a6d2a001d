import { type Body, type Example, remembers, type Sent } from "./builders.ts";
import { answers, callPart, gemini, model, responsePart, says, signed } from "./gemini-builders.ts";

const bodies = (...list: readonly Body[]): readonly Sent[] => list.map((body) => ({ body }));
const asked = says("do");
const call = signed(callPart("f"));
const named = signed(callPart("f", { id: "1" }));
const answered = answers(responsePart("f"));
const turns = (...contents: readonly Body[]) => gemini({ contents });
const media = (mimeType: string, data: string) => turns({ role: "user", parts: [{ inlineData: { mimeType, data } }] });
const png = btoa("\x89PNG\r\n\x1a\n0000");
const system = (...parts: readonly Body[]) => gemini({ systemInstruction: { parts } });

/** Examples of the rows about contents and their parts. */
export const geminiContentExamples: Readonly<Record<string, Example>> = {
  "contents-list": { bad: bodies(turns(), gemini({ contents: undefined })), good: bodies(gemini()) },
  role: {
    bad: bodies(
      turns({ role: "assistant", parts: [{ text: "x" }] }),
      turns({ parts: [{ text: "x" }] }),
      turns(asked, { role: "function", parts: [responsePart("f")] }),
    ),
    good: bodies(turns(asked, model({ text: "x" }), asked)),
  },
  "parts-list": {
    bad: bodies(turns({ role: "user", parts: [] }), turns({ role: "user" }), turns(asked, model(), asked)),
    good: bodies(turns(says("a", "b"))),
  },
  "part-data": {
    bad: bodies(
      turns({ role: "user", parts: [{}] }),
      turns({ role: "user", parts: [{ thought: true }] }),
      turns(asked, model({ ...call, text: "x" }), answered),
      turns(asked, model({ thoughtSignature: "x" }), asked),
    ),
    good: bodies(
      turns({ role: "user", parts: [{ text: "x" }, { fileData: { fileUri: "u", mimeType: "text/plain" } }] }),
    ),
  },
  "part-role": {
    bad: bodies(
      turns({ role: "user", parts: [call] }),
      turns(asked, model(responsePart("f")), asked),
      turns({ role: "user", parts: [{ text: "x", thought: true }] }),
    ),
    good: bodies(turns(asked, model({ text: "x", thought: true }, call), answered)),
  },
  text: {
    bad: bodies(turns(says("")), turns(asked, model({ text: "" }), asked), turns(says("x", ""))),
    good: [
      ...bodies(turns(asked, model({ text: "x" }, signed({ text: "" })), asked), turns(says(" "))),
      { body: turns(asked, model({ text: "" }), asked), memory: remembers({ sent: () => true }) },
    ],
  },
  media: {
    bad: bodies(
      media("image/gif", btoa("GIF89a..")),
      media("application/zip", png),
      media("image/jpeg", png),
      media("image/png", "???"),
      media("image/png", ""),
      turns({ role: "user", parts: [{ fileData: { mimeType: "text/plain" } }] }),
    ),
    good: bodies(media("image/png", png), media("application/pdf", btoa("%PDF-1.7."))),
  },
  call: {
    bad: bodies(
      turns(asked, model(signed({ functionCall: { args: {} } })), answered),
      turns(asked, model(signed(callPart("f", { args: "{}" }))), answered),
      turns(asked, model(signed(callPart("f", { id: 1 }))), answered),
    ),
    good: bodies(turns(asked, model(signed({ functionCall: { name: "f" } })), answered)),
  },
  response: {
    bad: bodies(
      turns(asked, model(call), answers(responsePart("f", { response: "ok" }))),
      turns(asked, model(call), answers(responsePart("f", { response: ["ok"] }))),
      turns(asked, model(call), answers(responsePart("f", { response: undefined }))),
      turns(asked, model(call), answers(responsePart("f", { name: undefined }))),
      turns(asked, model(call), answers(responsePart("f", { id: null }))),
    ),
    good: bodies(turns(asked, model(call), answers(responsePart("f", { response: {} })))),
  },
  "system-instruction": {
    bad: bodies(system(), system({ text: "" }), system({ inlineData: { mimeType: "image/png", data: png } })),
    good: bodies(
      system({ text: "a" }, { text: "b" }),
      gemini({ systemInstruction: { role: "user", parts: [{ text: "s" }] } }),
    ),
  },
  "first-user": {
    bad: bodies(turns(model({ text: "x" }), asked), turns(model(call), answered)),
    good: bodies(turns(asked, asked)),
  },
  "last-user": {
    bad: bodies(turns(asked, model({ text: "x" })), turns(asked, model(call))),
    good: bodies(turns(asked, model({ text: "x" }), model({ text: "y" }), asked)),
  },
  "call-answered": {
    bad: bodies(
      turns(asked, model(call), asked),
      turns(asked, model(call, callPart("g")), answered),
      turns(asked, model(call), answers(responsePart("f"), responsePart("f"))),
      turns(asked, model(call, callPart("g")), answered, answers(responsePart("g"))),
      turns(asked, model(call), asked, answered),
    ),
    good: bodies(turns(asked, model(call, callPart("g")), answers(responsePart("f"), responsePart("g")))),
  },
  "response-order": {
    bad: bodies(
      turns(asked, model(call, callPart("g")), answers(responsePart("g"), responsePart("f"))),
      turns(asked, model(call), answers(responsePart("h"))),
      turns(asked, model(named), answered),
      turns(asked, model(named), answers(responsePart("f", { id: "2" }))),
    ),
    good: bodies(
      turns(asked, model(named), answers(responsePart("f", { id: "1" }))),
      turns(asked, model(call), answers(responsePart("f", { id: "of the client" }))),
    ),
  },
  "response-first": {
    bad: bodies(turns(asked, model(call), answers({ text: "x" }, responsePart("f")))),
    good: bodies(turns(asked, model(call), answers(responsePart("f"), { text: "x" }))),
  },
  "response-orphan": {
    bad: bodies(
      turns(answered),
      turns(asked, answered),
      turns(asked, model(call), answered, answered),
      turns(asked, model({ text: "x" }), answered),
    ),
    good: bodies(turns(asked, model(call), answered, asked)),
  },
};
