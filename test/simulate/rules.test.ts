import { describe, expect, test } from "vitest";
import { type Wire, wires } from "../../src/kernel/usage.ts";
import { checkRequest } from "../../src/testing/simulate/check.ts";
import { simModels } from "../../src/testing/simulate/models.ts";
import { rules } from "../../src/testing/simulate/rules.ts";
import { anthropicHeaders, chatHeaders, type Example, type Sent } from "./builders.ts";
import { geminiHeaders } from "./gemini-builders.ts";
import { anthropicExamples } from "./rule-examples-anthropic.ts";
import { chatExamples } from "./rule-examples-chat.ts";
import { geminiExamples } from "./rule-examples-gemini.ts";
import { responsesExamples } from "./rule-examples-responses.ts";

const examples: Readonly<Record<Wire, Readonly<Record<string, Example>>>> = {
  anthropic: anthropicExamples,
  chat: chatExamples,
  responses: responsesExamples,
  gemini: geminiExamples,
};

const usualHeaders: Readonly<Record<Wire, Readonly<Record<string, string>>>> = {
  anthropic: anthropicHeaders,
  chat: chatHeaders,
  responses: chatHeaders,
  gemini: geminiHeaders,
};

for (const wire of wires) {
  describe(`${wire}: each rule refuses its malformed requests and lets their well-formed twins pass`, () => {
    test("every row has examples, every example a row, and ids are unique", () => {
      const ids = rules[wire].map((rule) => rule.id);
      expect(Object.keys(examples[wire]).toSorted()).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    });
    for (const rule of rules[wire]) {
      test(`${rule.id} (PROTOCOLS ${rule.paragraph})`, () => {
        const example = examples[wire][rule.id];
        expect(example?.bad.length).toBeGreaterThan(0);
        expect(example?.good.length).toBeGreaterThan(0);
        for (const bad of example?.bad ?? []) {
          expect.soft(check(wire, bad)?.rule, describeSent(bad)).toBe(rule.id);
        }
        for (const good of example?.good ?? []) expect.soft(check(wire, good), describeSent(good)).toBeNull();
      });
    }
  });
}

function check(wire: Wire, sent: Sent) {
  const all = { ...usualHeaders[wire], ...sent.headers };
  const headers = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  // Where the model stands in the path, the examples name it in the body all the same.
  const { model = "sim-gemini", ...rest } = sent.body ?? {};
  const { body, asked } =
    wire === "gemini" ? { body: rest, asked: String(model) } : { body: sent.body, asked: undefined };
  const account = { ...sent, asked };
  return checkRequest(wire, headers, sent.text ?? JSON.stringify(body), simModels, account);
}

function describeSent(sent: Sent): string {
  return (sent.text ?? JSON.stringify(sent.body)).slice(0, 400);
}
