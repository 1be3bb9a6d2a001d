import type { Waiting } from "../adapters/memory-inbox.ts";
import type { MemoryLook } from "../adapters/memory-read.ts";
import { memoryName } from "../memory/memory-file.ts";
import { ageText } from "../memory/memory-text.ts";
import { printable } from "./terminal.ts";

type Listed = MemoryLook & { readonly waiting: readonly Waiting[] };

export function memoryJson({ folders, waiting, notes }: Listed): string {
  return JSON.stringify({
    folders: folders.map(({ scope, folder, index, files }) => ({
      scope,
      folder,
      hasIndex: index !== null,
      memories: files.map((memory) => ({
        name: memoryName(memory),
        path: memory.path,
        title: memory.name,
        description: memory.description,
        type: memory.type,
        writtenAt: new Date(memory.writtenMs).toISOString(),
      })),
    })),
    waiting: waiting.map(({ id, place, topic, text, path }, at) => ({
      n: at + 1,
      id,
      scope: place.scope,
      topic,
      text,
      path,
    })),
    notes,
  });
}

export function memoryLines({ folders, waiting, notes }: Listed, now: number): string {
  const kept = folders.filter(({ index, files }) => index !== null || files.length > 0);
  const lines = kept.flatMap(({ folder, index, files }) => [
    `${printable(folder)}${index === null ? "" : " (with MEMORY.md)"}`,
    ...files.map((memory) => {
      const type = memory.type === null ? "" : `  ${memory.type}`;
      return `  ${inLine(memoryName(memory))}  ${inLine(memory.description)}${type}  ${ageText(memory.writtenMs, now)}`;
    }),
  ]);
  const open = waiting.map(({ id, place, topic, text }, at) => {
    const about = topic === null ? "" : `  ${inLine(topic)}`;
    return `${at + 1}  ${id}  ${place.scope}${about}  ${printable(text).replaceAll("\n", "\n     ")}`;
  });
  return [
    ...(lines.length === 0 ? ["no memories are kept"] : lines),
    ...(open.length === 0 ? [] : ["", "Waiting: varve memory accept N [OTHER WORDS], or refuse N", ...open]),
    ...notes.map((note) => `note: ${printable(note)}`),
    "",
  ].join("\n");
}

function inLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, " ");
}
