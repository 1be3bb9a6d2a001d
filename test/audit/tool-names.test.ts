import { expect, test } from "vitest";
import { fileReadBy } from "../../src/audit/reads.ts";
import { serverOf, toolKindOf } from "../../src/audit/tool-names.ts";

test.each([
  ["mcp__github__list_issues", "{}", "github"],
  ["mcp__claude_ai_Linear__get", "{}", "claude_ai_Linear"],
  ["playwright__click", "{}", "playwright"],
  ["mcp_github_list", "{}", "github"],
  ["use_mcp_tool", '{"server_name": "weather", "tool_name": "now"}', "weather"],
  ["Bash", '{"server_name": "no"}', null],
  ["read_file", "{}", null],
  ["__init__", "{}", null],
])("the server of %s with %s is %s", (tool, input, server) => {
  expect(serverOf(tool, input)).toBe(server);
});

test.each([
  ["Read", '{"file_path": "/a/b.ts", "offset": 5}', "/a/b.ts"],
  ["read_file", '{"absolute_path": "/a/b.ts"}', "/a/b.ts"],
  ["view", '{"path": "b.ts"}', "b.ts"],
  ["str_replace_based_edit_tool", '{"command": "view", "path": "b.ts"}', "b.ts"],
  ["str_replace_editor", '{"command": "view", "path": "b.ts"}', "b.ts"],
  ["str_replace_editor", '{"command": "create", "path": "b.ts"}', null],
  ["Bash", '{"command": "cat b.ts"}', "b.ts"],
  ["Bash", '{"command": "cd /a && sed -n \'1,20p\' b.ts"}', "b.ts"],
  ["shell", '{"command": ["bash", "-lc", "cat b.ts | head -5"]}', "b.ts"],
  ["Bash", '{"command": "cat a.ts b.ts"}', null],
  ["Bash", '{"command": "cat b.ts > c.ts"}', null],
  ["Bash", '{"command": "rm b.ts"}', null],
  ["Edit", '{"file_path": "/a/b.ts"}', null],
  ["Read", "not JSON", null],
  ["Read", '{"file_path": 7}', null],
])("%s with %s reads %s", (tool, input, file) => {
  expect(fileReadBy(tool, toolKindOf(tool, null), input)).toBe(file);
});
