import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { argumentWords } from "../../src/workspace/arguments.ts";
import { expandTemplate, type TemplatePart } from "../../src/workspace/template.ts";
import { commandFault } from "../../src/workspace/template-shell.ts";

const values = { typed: "", names: [], variables: { SESSION_ID: "s1", SKILL_DIR: "/a b/skill" } } as const;

function partsOf(template: string, typed = "", names: readonly string[] = []): readonly TemplatePart[] {
  const expanded = expandTemplate(template, { ...values, typed, names });
  if (expanded.type === "bad") throw new Error(expanded.why);
  return expanded.parts;
}

function textOf(template: string, typed = "", names: readonly string[] = []): string {
  return partsOf(template, typed, names)
    .map((part) => (part.type === "text" ? part.text : part.written))
    .join("");
}

function commandOf(template: string, typed: string): Extract<TemplatePart, { readonly type: "shell" }> {
  const found = partsOf(template, typed).find((part) => part.type === "shell");
  if (found === undefined) throw new Error("no command");
  return found;
}

const bash = (command: string) => execFileSync("bash", ["-c", command], { encoding: "utf8", cwd: "/" });

describe("arguments are words as a shell splits them, with nothing expanded", () => {
  test.each([
    ["a  b\tc", ["a", "b", "c"]],
    [`"a b" 'c d'`, ["a b", "c d"]],
    [`a"b c"d`, ["ab cd"]],
    [`"say \\"hi\\""`, ['say "hi"']],
    ["a\\ b", ["a b"]],
    ["don't stop", ["don't", "stop"]],
    ["$HOME $(id) *", ["$HOME", "$(id)", "*"]],
    [`""`, [""]],
    ["", []],
    ["trailing\\", ["trailing\\"]],
    ["日本 語", ["日本", "語"]],
  ])("%s", (typed, words) => expect(argumentWords(typed)).toEqual(words));
});

describe("a template's text", () => {
  test.each([
    ["Fix $ARGUMENTS now", "a  'b c'", "Fix a  'b c' now"],
    ["$0 and $1, $ARGUMENTS[1]", `x "y z"`, "x and y z, y z"],
    ["$0-$2.", "a b", "a-."],
    [String.raw`costs \$1 or \$ARGUMENTS`, "", "costs $1 or $ARGUMENTS"],
    ["$unknown $HOME $ARGUMENTSX $ x$", "a", "$unknown $HOME $ARGUMENTSX $ x$\n\nARGUMENTS: a"],
    ["Say hi", "to  Ann", "Say hi\n\nARGUMENTS: to  Ann"],
    ["Say hi", "", "Say hi"],
    ["${CLAUDE_SESSION_ID} ${VARVE_SESSION_ID} ${CLAUDE_OTHER}", "", "s1 s1 ${CLAUDE_OTHER}"],
  ])("%s with %s", (template, typed, text) => expect(textOf(template, typed)).toBe(text));

  test("named arguments are the words in their order, the longest name first", () => {
    expect(textOf("$issue in $issue_repo; $issues", "12 app", ["issue", "issue_repo"])).toBe("12 in app; $issues");
  });

  test("what an argument brings is not looked through again", () => {
    const typed = "$1 !`id` @/etc/passwd ${CLAUDE_SESSION_ID}";
    expect(partsOf("> $ARGUMENTS", typed)).toEqual([{ type: "text", text: `> ${typed}` }]);
  });
});

describe("a template's commands", () => {
  test("stand at the start of a line or behind white space, on one line", () => {
    expect(
      partsOf("!`a`\nx !`b` y!`c` !`` `!`d`").flatMap((part) => (part.type === "shell" ? [part.command] : [])),
    ).toEqual(["a", "b"]);
  });

  test("C-099 · an argument is one inert word: the output is the text as typed, and nothing runs", async () => {
    const typed = 'don\'t "do" it; touch pwned $(id) `id`';
    const command = commandOf("!`echo $ARGUMENTS`", typed);
    expect(await commandFault(command)).toBeNull();
    expect(bash(command.command)).toBe(`${typed}\n`);
    expect(textOf("text: $ARGUMENTS", typed)).toBe(`text: ${typed}`);
  });

  test.each([
    "echo $ARGUMENTS",
    'echo "$ARGUMENTS"',
    "echo '$ARGUMENTS'",
    'echo "a $(printf %s "$ARGUMENTS") b"',
    "printf '%s\\n' \"x'$ARGUMENTS'\"",
    "echo ${HOME} x$ARGUMENTS",
    "(echo a; echo $ARGUMENTS) | cat",
  ])("C-099 · whatever quotes the author wrote: %s", async (line) => {
    const words = fc.string({
      unit: fc.constantFrom(..."a' \"\\$`(){};|&<>*?!#~\n=-".split("")),
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(words, async (typed) => {
        const command = commandOf(`!\`${line}\``, typed);
        expect(await commandFault(command)).toBeNull();
      }),
      { numRuns: 60 },
    );
    const typed = 'don\'t "do" it; $(id) `id` \\n # *';
    const found = bash(commandOf(`!\`${line}\``, typed).command);
    expect(found).toContain(typed);
    expect(found).not.toContain("uid=");
  });

  test.each([
    "cat <<EOF $ARGUMENTS",
    "echo $(( $ARGUMENTS ))",
    "echo ${x:-$ARGUMENTS}",
    "echo $'a$ARGUMENTS'",
    "echo $$ARGUMENTS",
    "true # $ARGUMENTS",
    'bash -c "echo $ARGUMENTS"',
    "eval echo $ARGUMENTS",
    "timeout 5 sh -ec $ARGUMENTS",
    'node -e "console.log($ARGUMENTS)"',
    "ssh host $ARGUMENTS",
    "timeout 5 ssh host $ARGUMENTS",
    "perl -e$ARGUMENTS",
    "node --eval=$ARGUMENTS",
    "watch $ARGUMENTS",
    "sed $ARGUMENTS file",
    "awk -F, $ARGUMENTS file",
    "vim -c $ARGUMENTS",
    // An index of an array may hold a command, wherever a name or a number is read.
    "let $ARGUMENTS",
    "builtin let $ARGUMENTS",
    "read $ARGUMENTS",
    "unset $ARGUMENTS",
    "printf -v $ARGUMENTS x",
    "test -v $ARGUMENTS",
    "[[ $ARGUMENTS -eq 1 ]]",
    "declare $ARGUMENTS",
    "declare -i x=$ARGUMENTS",
    "a[$ARGUMENTS]=1",
  ])("C-099 · where that cannot be done the command is refused: %s", async (line) => {
    const expanded = expandTemplate(`!\`${line}\``, { ...values, typed: "a" });
    const part = expanded.type === "ok" ? expanded.parts.find(({ type }) => type === "shell") : undefined;
    const fault = expanded.type === "bad" ? expanded.why : part?.type === "shell" ? await commandFault(part) : null;
    expect(fault).toMatch(/an argument/);
  });

  test.each([
    "x=$ARGUMENTS env",
    "export X=$ARGUMENTS",
    "[[ $ARGUMENTS == a ]]",
    "ls [a-z]* $ARGUMENTS",
    "bash -x run.sh $ARGUMENTS",
    "sed -n 1p $ARGUMENTS",
    "awk '{print}' $ARGUMENTS",
  ])("an argument that is only a word stays one: %s", async (line) => {
    const expanded = expandTemplate(`!\`${line}\``, { ...values, typed: "a[$(id)]" });
    const part = expanded.type === "ok" ? expanded.parts.find(({ type }) => type === "shell") : undefined;
    expect(part?.type === "shell" ? await commandFault(part) : expanded).toBeNull();
  });

  test("an argument that is not there is nothing, an empty one an empty word, a folder of ours plain", () => {
    expect(commandOf("!`ls $0 $1`", '""').command).toBe("ls '' ");
    expect(commandOf("!`${CLAUDE_SKILL_DIR}/run $0`", "x").command).toBe("'/a b/skill'/run 'x'");
  });
});

describe("a template's files", () => {
  const filesIn = (template: string, typed = "") =>
    partsOf(template, typed).flatMap((part) => (part.type === "file" ? [[part.path, part.lines]] : []));

  test.each([
    ["See @src/a.ts.", [["src/a.ts", null]]],
    [
      "(@a.md) and @b.md, ok",
      [
        ["a.md", null],
        ["b.md", null],
      ],
    ],
    [
      "@a.ts#L3-L9 @b.ts#4 @c.ts:5-6 @d.ts#L7",
      [
        ["a.ts", { from: 3, to: 9 }],
        ["b.ts", { from: 4, to: 4 }],
        ["c.ts", { from: 5, to: 6 }],
        ["d.ts", { from: 7, to: 7 }],
      ],
    ],
    ['@"my file.md" x', [["my file.md", null]]],
    ["mail me@b.c `@x`", []],
    ["@", []],
  ])("%s", (template, files) => expect(filesIn(template)).toEqual(files));

  test("a path may come from an argument", () => {
    expect(filesIn("Review @$0 and @$1.", "a.ts 'b c.ts'")).toEqual([
      ["a.ts", null],
      ["b c.ts", null],
    ]);
    expect(textOf("Review @$0.", "")).toBe("Review @.");
  });

  test("the end of a sentence is no part of the path", () => {
    expect(textOf("See @src/a.ts.")).toBe("See @src/a.ts.");
  });
});

test("any template and any arguments are an answer, and without places the text is the template", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 50 }), (template, typed) => {
      expect(["ok", "bad"]).toContain(expandTemplate(template, { ...values, typed }).type);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab \n#*`".split("")) }), (template) => {
      expect(textOf(template)).toBe(template);
    }),
  );
});
