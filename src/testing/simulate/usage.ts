/** What `varve simulate --help` says. */
export const usage = `Usage: varve simulate [options]

A strict stand-in for model providers on 127.0.0.1: Anthropic Messages, OpenAI Responses, Chat Completions, Gemini. One
JSON line with its address on stdout, then it serves until SIGTERM or SIGINT. See docs/testing-any-agent.md.

Who answers (one of them; without any, the echo brain calls the client's own read and shell tools, then ends):
  --script <file>            JSON list of replies, faults, clock steps and expectations
  --replay <path>            a recording, a session folder of Varve, or a transcript of Claude Code
  --brain <file>             module whose default export answers requests
  --rounds <n>               tool calls of the echo brain in each turn (2)
  --reasoning <text>         what the echo brain thinks before each reply

  --summaries <list>         how requests for a summary are answered, one for each, then well: good, empty, tool-call,
                             junk, error-text, truncated, larger, echo, wrong-facts, slow, foreign-language; or own:
                             by the module of --brain itself

Models:
  --model <id>=<like>        one more model id, behaving like one of the table; may be repeated
  --window <tokens>          window of every model
  --model-window <id>=<n>    window of one model; may be repeated
  --minimum <tokens>         smallest cacheable prefix of every model
  --binding <mode>           error, drop_block or off: what a changed prefix does to reasoning (error)

Faults and time:
  --fault <fault>            KIND[:value][@skip][xTimes][/summary], such as overloaded@2x3; may be repeated
  --clock <mode>             real, or manual: moved by POST /_sim/clock and scripts only (real)
  --now <moment>             where the clock starts, such as 2026-11-29T12:00:00Z

What is kept and told:
  --log <file>               each request as a line of JSON, as it comes
  --record <file>            each reply as a line that --replay plays back
  --report <file>            the totals, at the end; also one line on stderr
  --expect-no-violations     exit code 1 if any request was refused by a rule

  --port <n>                 a free one when not given
  -h, --help                 display this

Exit codes: 0 ended; 1 an expectation failed, or the simulator itself; 2 wrong arguments.
`;
