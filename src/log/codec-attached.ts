import type { Attachment, AttachmentKind } from "./attached.ts";
import { text } from "./codec-block.ts";
import { boolean, list, nullable, optional, shape, string, words } from "./codec-check.ts";
import type { AttachedLimits } from "./skill.ts";

export const attachmentKind = words<AttachmentKind>({
  instructions: true,
  rule: true,
  style: true,
  "memory-index": true,
  server: true,
  skills: true,
  skill: true,
  command: true,
  memory: true,
  hook: true,
});

const limits = shape<AttachedLimits>({ allowed: nullable(list(string)), disallowed: list(string), grants: boolean });

export const attachment = shape<Attachment>({
  kind: attachmentKind,
  name: string,
  source: string,
  hash: string,
  text,
  limits: optional(limits),
  folder: optional(string),
  original: optional(text),
  side: optional(words({ system: true })),
});
