/** What somebody might ask about this repository, the file that answers it, and words that stand in the answer's place. */
export type Question = { readonly query: string; readonly path: string; readonly anchor: string };

/** Files that are searched: code and prose of several kinds, as they were when the data was made. */
export const searchedFiles: readonly string[] = [
  ...within("src/kernel", "automaton canonical growing hash ids json once own plain-text usage vector"),
  ...within("src/budget", "exact measure model-id price-row prices window"),
  ...within("src/secrets", "known mask secret-forms secret-name visible"),
  ...within("src/workspace", "boundary frontmatter git-repository git-settings glob settings-merge shell-wrappers"),
  ...within("src/log", "checkpoint repeats"),
  ...within("src/reduction", "mark names-said plan pointers use-work"),
  ...within("src/agent", "decide driver recover undo"),
  ...within("src/adapters", "clock http ripgrep sandbox shell-env store-file-lease"),
  ...within("docs/decisions", "0003-own-layering-test 0005-json-lines-log 0016-shell-grammar 0018-redaction", "md"),
  ...within("docs/decisions", "0024-recall-index 0025-facts 0027-clearing 0035-units-as-bytes", "md"),
  ...within("examples/shop/src", "App cart/CartProvider catalog/FilterBar", "tsx"),
  ...within(
    "examples/shop/src",
    "api format router types cart/cart catalog/filter checkout/validateCheckout catalog/useProducts",
  ),
];

export const questions: readonly Question[] = rows(`
How is JSON written so that equal values always have equal bytes? | src/kernel/canonical.ts | export function canonicalJson
How do you get the handle of an original from its hash? | src/kernel/hash.ts | export function handleOf
What does the chain function compute? | src/kernel/hash.ts | export function chain
How can I parse text as JSON without an exception being thrown? | src/kernel/json.ts | export function parseJson
How is a value protected against keys such as constructor that come from outside? | src/kernel/own.ts | export function own
How does one append an item to the persistent list without copying all of it? | src/kernel/vector.ts | export function push
What does madeOnce do? | src/kernel/once.ts | export function madeOnce
Where is the exact tokenizer loaded, and why so late? | src/budget/exact.ts | export async function exactCounter
How is the price of a request looked up when a model has tiers? | src/budget/prices.ts | export function priceOf
What does a reported usage cost in money? | src/budget/prices.ts | export function costOf
Which window is assumed for a model nobody knows? | src/budget/window.ts | export const assumedWindowTokens
How are vendor prefixes and snapshot dates removed from a model's name? | src/budget/model-id.ts | export function bareId
How does the mask replace secrets that are found in a text? | src/secrets/mask.ts | function replaced
How are secrets found that are encoded in base64? | src/secrets/secret-forms.ts | function base64
How does the code tell from a variable's name that it holds a password? | src/secrets/secret-name.ts | export function isSecretName
How can the password be taken out of a database address? | src/secrets/secret-name.ts | export function passwordIn
Why are symbolic links resolved the way the system walks them, with .. behind a link? | src/workspace/boundary.ts | async function locatedAsWalked
What does the boundary say when a path lies outside of the workspace? | src/workspace/boundary.ts | export function outsideMessage
How are the fields at the beginning of a Markdown file read? | src/workspace/frontmatter.ts | export async function parseFrontmatter
When must git not be run without asking? | src/workspace/git-repository.ts | export async function gitDoubt
How are git submodules recognised in the index file? | src/workspace/git-repository.ts | async function indexDoubt
Which settings of a repository are known to be harmless? | src/workspace/git-settings.ts | const harmless
How does compileGlob avoid exponential time for patterns with many stars? | src/workspace/glob.ts | export function compileGlob
How are alternatives in braces expanded in a file pattern? | src/workspace/glob.ts | function expandBraces
What keeps a project's own settings file from loosening the permissions? | src/workspace/settings-merge.ts | function restricting
Which shell builtins are never covered by a rule? | src/workspace/shell-wrappers.ts | export const reshaping
When is a stored checkpoint not used? | src/log/checkpoint.ts | export function readCheckpoint
How are two calls recognised as asking for the same thing? | src/log/repeats.ts | export function callKey
In which order are reductions tried before a request? | src/reduction/plan.ts | export function plan
How far should a sliding window be brought down? | src/reduction/mark.ts | export function slideTokens
How is it decided whether a tool reads, edits or searches? | src/reduction/use-work.ts | export function workOf
What happens to pointers when the result they lead to is removed? | src/reduction/pointers.ts | export function settledPointers
Which tool calls may run at the same time? | src/agent/decide.ts | function forCalls
How long does the agent wait before it tries a failed request again? | src/agent/decide.ts | function backOffMs
What does the driver do when the disk is full? | src/agent/driver.ts | When an append is refused
What happens after a restart with tool calls that never returned? | src/agent/recover.ts | export function recoveryOf
Can a turn be resumed, and how does one know? | src/agent/recover.ts | export function resumable
How is a compaction undone? | src/agent/undo.ts | export async function undo
What is mounted into the sandbox? | src/adapters/sandbox.ts | function mounts
Which environment variables do child processes get to see? | src/adapters/shell-env.ts | export function childEnv
How does a process take the lease of a log when its holder is dead? | src/adapters/store-file-lease.ts | export async function takeLease
How are requests to private addresses refused? | src/adapters/http.ts | async function addressesOf
Where is the ripgrep binary found? | src/adapters/ripgrep.ts | export async function findRipgrep
Why is there no existing tool such as dependency-cruiser for the layers? | docs/decisions/0003-own-layering-test.md | dependency-cruiser
Why is SQLite not the place where the log is kept? | docs/decisions/0005-json-lines-log.md | SQLite as the truth
Which parser is used for shell commands, and what was it compared with? | docs/decisions/0016-shell-grammar.md | **Compared**
How is a leaked secret taken out of a log? | docs/decisions/0018-redaction.md | **Decision.**
Why are facts not part of the system prompt? | docs/decisions/0025-facts.md | Facts in the system prompt
How are large inputs of calls shortened? | docs/decisions/0027-clearing.md | The large inputs of calls
What happens in runtimes that have no Buffer? | docs/decisions/0035-units-as-bytes.md | In a runtime without
How is it worked out what the goods in the shopping cart cost, without shipping? | examples/shop/src/cart/cart.ts | export function subtotal
How are products filtered and sorted? | examples/shop/src/catalog/filter.ts | export function applyFilter
Which errors does the checkout form report? | examples/shop/src/checkout/validateCheckout.ts | export function validateCheckout
How are prices formatted for display? | examples/shop/src/format.ts | export function money
`);

function within(folder: string, names: string, ending = "ts"): readonly string[] {
  return names.split(" ").map((name) => `${folder}/${name}.${ending}`);
}

function rows(table: string): readonly Question[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [query = "", path = "", anchor = ""] = line.split(" | ");
      return { query, path, anchor };
    });
}
