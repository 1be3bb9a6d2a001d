import type { Attachment, AttachmentKind } from "./attached.ts";
import { text } from "./codec-block.ts";
import { shape, string, words } from "./codec-check.ts";

export const attachmentKind = words<AttachmentKind>({
  instructions: true,
  rule: true,
  style: true,
  "memory-index": true,
  skills: true,
  skill: true,
  memory: true,
  hook: true,
});

export const attachment = shape<Attachment>({ kind: attachmentKind, name: string, source: string, hash: string, text });
