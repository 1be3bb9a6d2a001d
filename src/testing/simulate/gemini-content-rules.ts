import { isRecord } from "../../kernel/canonical.ts";
import { contentsOf, partsOf } from "./gemini-contents.ts";
import { isSigned } from "./gemini-signature.ts";
import { imageTypeOf } from "./image.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Part = Readonly<Record<string, unknown>>;

const dataFields = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];
const mediaTypes =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+|text\/[a-z0-9.+-]+|application\/(?:pdf|json))$/;
const sniffed = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Each content and part for itself; what left here comes back as it was. */
export const geminiContentRules: readonly Rule[] = [
  {
    id: "contents-list",
    paragraph: "C.2",
    check: ({ body }) =>
      listOf(body.contents).length > 0
        ? null
        : { message: "* GenerateContentRequest.contents: contents is not specified\n" },
  },
  {
    id: "role",
    paragraph: "C.2",
    check: (input) =>
      firstOf(contentsOf(input), ({ role }) =>
        role === "user" || role === "model" ? null : "Please use a valid role: user, model.",
      ),
  },
  {
    id: "parts-list",
    paragraph: "C.2",
    check: (input) =>
      firstOf(contentsOf(input), (content, at) =>
        partsOf(content).length > 0
          ? null
          : `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`,
      ),
  },
  { id: "part-data", paragraph: "C.2", check: (input) => eachPart(input, badData) },
  {
    id: "part-role",
    paragraph: "C.2",
    check: (input) =>
      eachPart(input, (part, path, role) => {
        if (part.functionCall !== undefined && role !== "model") return `${path}: function calls are of role model`;
        if (part.functionResponse !== undefined && role !== "user")
          return `${path}: function responses are of role user`;
        return (part.thought === true || isSigned(part)) && role !== "model"
          ? `${path}: thoughts and their signatures are of role model`
          : null;
      }),
  },
  {
    id: "text",
    paragraph: "C.2",
    check: (input) =>
      eachPart(input, (part, path) => {
        if (part.text === undefined) return null;
        if (typeof part.text !== "string") return `Invalid value at '${path}.text' (TYPE_STRING)`;
        const mayBeEmpty = isSigned(part) || input.memory.sent(part);
        return part.text !== "" || mayBeEmpty
          ? null
          : `Unable to submit request because it has an empty text parameter at ${path}. Add a value to the parameter and try again.`;
      }),
  },
  { id: "media", paragraph: "C.2", check: (input) => eachPart(input, badMedia) },
  { id: "call", paragraph: "C.2", check: (input) => eachPart(input, badCall) },
  { id: "response", paragraph: "C.2", check: (input) => eachPart(input, badResponse) },
  { id: "system-instruction", paragraph: "C.2", check: badSystem },
];

function eachPart(
  input: RuleInput,
  check: (part: Part, path: string, role: string, input: RuleInput) => string | null,
): Found | null {
  return firstOf(contentsOf(input), (content, at) =>
    firstOf(partsOf(content), (part, place) =>
      check(part, `contents[${at}].parts[${place}]`, textOf(content.role), input),
    ),
  );
}

function badData(part: Part, path: string, _role: string, { memory }: RuleInput): string | null {
  if (memory.sent(part)) return null;
  const data = dataFields.filter((name) => part[name] !== undefined);
  if (data.length > 1)
    return `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${data[1]}'`;
  return data.length === 1
    ? null
    : `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`;
}

function badMedia(part: Part, path: string): string | null {
  if (part.fileData !== undefined)
    return textOf(recordOf(part.fileData).fileUri) === "" ? `${path}.file_data.file_uri: must not be empty` : null;
  if (part.inlineData === undefined) return null;
  const { mimeType, data } = recordOf(part.inlineData);
  if (!mediaTypes.test(textOf(mimeType))) return `Unsupported MIME type: ${String(mimeType)}`;
  const base64 = textOf(data);
  if (base64 === "" || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    return `Invalid value at '${path}.inline_data.data' (TYPE_BYTES), Base64 decoding failed`;
  return sniffed.includes(textOf(mimeType)) && imageTypeOf(base64) !== mimeType
    ? "Unable to process input image."
    : null;
}

function badCall(part: Part, path: string): string | null {
  if (part.functionCall === undefined) return null;
  const { id, name, args } = recordOf(part.functionCall);
  if (textOf(name) === "") return `* GenerateContentRequest.${path}.function_call.name: Name cannot be empty.\n`;
  if (args !== undefined && !isRecord(args))
    return `Invalid value at '${path}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`;
  return id === undefined || typeof id === "string"
    ? null
    : `Invalid value at '${path}.function_call.id' (TYPE_STRING)`;
}

function badResponse(part: Part, path: string): string | null {
  if (part.functionResponse === undefined) return null;
  const { id, name, response } = recordOf(part.functionResponse);
  if (textOf(name) === "") return `* GenerateContentRequest.${path}.function_response.name: Name cannot be empty.\n`;
  if (!isRecord(response))
    return `Invalid value at '${path}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`;
  return id === undefined || typeof id === "string"
    ? null
    : `Invalid value at '${path}.function_response.id' (TYPE_STRING)`;
}

function badSystem({ body }: RuleInput): Found | null {
  if (body.systemInstruction === undefined) return null;
  const parts = partsOf(recordOf(body.systemInstruction));
  const isText = (part: Part) => textOf(part.text) !== "" && Object.keys(part).length === 1;
  return parts.length > 0 && parts.every(isText)
    ? null
    : { message: "System instruction must be non-empty and have text parts only." };
}
