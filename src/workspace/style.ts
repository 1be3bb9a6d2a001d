import { parseFrontmatter } from "./frontmatter.ts";

/** How the assistant writes (M-56): chosen by name when a session starts, and as it was then while an epoch lasts. */
export type Style = {
  readonly name: string;
  readonly description: string;
  readonly body: string;
};

export type ParsedStyle =
  | { readonly type: "ok"; readonly style: Style }
  | { readonly type: "bad"; readonly line: number; readonly why: string };

/** A style file: its fields may name and describe it; else it is named by its file. */
export async function parseStyle(text: string, fileName: string): Promise<ParsedStyle> {
  const front = await parseFrontmatter(text);
  if (front.type === "bad") return { type: "bad", line: front.line, why: front.why };
  const body = front.body.trim();
  if (body === "") return { type: "bad", line: front.bodyLine, why: "expected how to write, found nothing" };
  const said = (key: string) => {
    const value = front.type === "ok" ? front.fields.get(key)?.value : undefined;
    return typeof value === "string" ? value.trim() : "";
  };
  return { type: "ok", style: { name: said("name") || fileName, description: said("description"), body } };
}

/** Names of people's files and of other agents' settings differ in case. */
export function isStyle({ name }: Pick<Style, "name">, wanted: string): boolean {
  return name.toLowerCase() === wanted.trim().toLowerCase();
}

/** None at all: what sections of the system say of tone holds. */
export const plainStyle = "default";

export const bundledStyles: readonly Style[] = [
  {
    name: "brief",
    description: "results only",
    body: `Answer in as few words as the matter allows: what was done, what failed, what is left. No introduction, no closing
sentence, no explanation that was not asked for.`,
  },
  {
    name: "explanatory",
    description: "the work, and why it is done this way",
    body: `Do the work as ever. With each choice that a reader of the code would wonder about, say in one to three sentences why it
was made: what in this project led to it, and what was left aside. Explain this project's own ways, not what any handbook says.`,
  },
  {
    name: "learning",
    description: "leaves small parts to the user, on purpose",
    body: `Do the work together with the user, who wants to learn. Where a small part (5 to 20 lines) decides something interesting,
prepare all around it, mark the place in the code with a comment, say what belongs there and what to weigh, and let the user write
it before you go on. Never leave the build broken in the meantime, and do routine parts yourself.`,
  },
];
