import { callsIn, contentsOf, currentTurn, turnsOf } from "./gemini-contents.ts";
import { dummySignature, hasForm, isSigned, isUnchanged, openSignature } from "./gemini-signature.ts";
import { geminiTraits } from "./models-gemini.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { recordOf } from "./value.ts";

type Part = Readonly<Record<string, unknown>>;

/** Signatures of thoughts: there, ours, this model's, on the part they were made for (PROTOCOLS C.2). */
export const geminiSignatureRules: readonly Rule[] = [
  { id: "signature-missing", paragraph: "C.2", check: missing },
  {
    id: "signature-corrupted",
    paragraph: "C.2",
    check: (input) =>
      firstOf(signedTurns(input), ({ signed }) =>
        signed.every((part) => openSignature(part.thoughtSignature)?.model === input.model.id)
          ? null
          : "Invalid/Corrupted thought signature.",
      ),
  },
  { id: "signature-parts", paragraph: "C.2", check: moved },
];

/** In each step of the current turn the first call has one; those beside it have none. */
function missing(input: RuleInput): Found | null {
  if (!geminiTraits(input.model.id).signs) return null;
  const turns = turnsOf(contentsOf(input));
  return firstOf(turns.slice(currentTurn(turns)), ({ role, parts, at }) => {
    const call = role === "model" ? callsIn(parts)[0] : undefined;
    if (call === undefined || isSigned(call)) return null;
    return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${String(recordOf(call.functionCall).name)}\` , position ${at + 1}.`;
  });
}

/** Stricter than the service: what was signed is not changed, merged, split or moved. */
function moved(input: RuleInput): Found | null {
  if (input.binding !== "error") return null;
  return firstOf(signedTurns(input), ({ parts, signed }) =>
    firstOf(signed, (part) => {
      const sealed = openSignature(part.thoughtSignature);
      const sent = sealed === null ? undefined : input.memory.turnOf(sealed.answer);
      const isSame = sealed !== null && isUnchanged(part, sealed) && (sent === undefined || hasForm(parts, sent));
      return isSame ? null : "Invalid thought signature: parts of a turn were changed, merged, split or moved.";
    }),
  );
}

function signedTurns(
  input: RuleInput,
): readonly { readonly parts: readonly Part[]; readonly signed: readonly Part[] }[] {
  return turnsOf(contentsOf(input)).map(({ parts }) => ({
    parts,
    signed: parts.filter((part) => isSigned(part) && part.thoughtSignature !== dummySignature),
  }));
}
