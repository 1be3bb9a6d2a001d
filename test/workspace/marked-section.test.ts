import fc from "fast-check";
import { expect, test } from "vitest";
import { hasSection, withSection } from "../../src/workspace/marked-section.ts";

const section = { name: "conventions", body: "## Ours\n\n- a line" };
const put = (text: string, one = section) => {
  const result = withSection(text, one);
  if (result.type !== "written") throw new Error(result.type);
  return result.text;
};

test("a section is put behind what is there, with an empty line between, and putting it twice changes nothing", () => {
  const text = put("# Mine\n\nText.\n");
  expect(text).toMatch(
    /^# Mine\n\nText\.\n\n<!-- varve:begin conventions [0-9a-f]{12} .*-->\n## Ours\n\n- a line\n<!-- varve:end conventions -->\n$/,
  );
  expect(withSection(text, section)).toEqual({ type: "same" });
  expect(put("")).toBe(text.slice("# Mine\n\nText.\n\n".length));
  expect(put("# Mine")).toMatch(/^# Mine\n\n<!--/);
});

test("line ends and the byte order mark stay as they are, also when a newer section takes an older one's place", () => {
  const text = put("\ufeff# Mine\r\nText.\r\n");
  expect(text.startsWith("\ufeff# Mine\r\nText.\r\n\r\n<!--")).toBe(true);
  expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  expect(withSection(text, section)).toEqual({ type: "same" });
  const behind = `${text}\r\nMore of mine.\r\n`;
  const newer = put(behind, { ...section, body: "## Ours, newer" });
  expect(newer).toContain("## Ours, newer\r\n");
  expect(newer).not.toContain("- a line");
  expect(newer.startsWith("\ufeff# Mine\r\nText.\r\n\r\n<!--") && newer.endsWith("-->\r\n\r\nMore of mine.\r\n")).toBe(
    true,
  );
  expect(newer.replaceAll("\r\n", "")).not.toContain("\n");
});

test("a section somebody changed is theirs, whatever they changed in it", () => {
  const text = put("# Mine\n");
  for (const changed of [
    text.replace("a line", "my line"),
    text.replace("- a line", "- a line\n- and mine"),
    text.replace("- a line\n", ""),
    text.replace(/conventions [0-9a-f]{12}/, "conventions 0123456789ab"),
  ])
    expect(withSection(changed, section)).toEqual({ type: "theirs", why: "somebody changed it (line 3)" });
});

test("markers that are no longer one pair are left alone", () => {
  const text = put("# Mine\n");
  const begin = text.split("\n")[2] ?? "";
  for (const broken of [
    text.replace("<!-- varve:end conventions -->\n", ""),
    text.replace(`${begin}\n`, ""),
    `${text}${text}`,
    `<!-- varve:end conventions -->\n${text}`,
  ])
    expect(withSection(broken, section)).toMatchObject({ type: "theirs", why: expect.stringContaining("one pair") });
});

test("markers that are shown in a block of code are not meant", () => {
  const shown = `# How it looks\n\n\`\`\`md\n${put("")}\`\`\`\n`;
  expect(hasSection(shown, "conventions")).toBe(false);
  expect(put(shown).startsWith(shown)).toBe(true);
});

test("nothing is put where it would become code or a comment", () => {
  expect(withSection("```sh\nnpm test\n", section)).toEqual({
    type: "theirs",
    why: "the block of code of line 1 has no end",
  });
  expect(withSection("Text\n<!-- later\n", section)).toEqual({
    type: "theirs",
    why: "the comment of line 2 has no end",
  });
  expect(withSection("````\n```\n````\n<!-- one --> text\n<!--\ntwo\n-->\n", section).type).toBe("written");
});

test("whatever text is there stays at the front of the new one, word for word", () => {
  const line = fc.oneof(fc.string(), fc.constantFrom("", "```", "<!--", "-->", "<!-- varve:end conventions -->", "\r"));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const text = lines.join("\n");
      const result = withSection(text, section);
      if (result.type !== "written") return;
      expect(result.text.startsWith(text)).toBe(true);
      expect(withSection(result.text, section)).toEqual({ type: "same" });
    }),
  );
});
