/** One element of a page as its accessibility tree has it. */
export type PageLine = {
  readonly indent: number;
  readonly role: string;
  /** What it is called, or says; "" for a box without a name. */
  readonly name: string;
  /** What the page's tools call it; null: they cannot. */
  readonly ref: string | null;
};

/**
 * A line of a page's snapshot: `- button "Save" [ref=e12]` as Playwright writes it (YAML, quoted where need be), and
 * `uid=1_2 button "Save"` as Chrome's tools do. null: it is no element, but words around the tree or a property.
 */
export function pageLine(line: string): PageLine | null {
  const looked = line.length > lineCharsMax ? line.slice(0, lineCharsMax) : line;
  const found = element.exec(looked);
  if (found === null) return null;
  const [all, space = "", uid, role = "", name] = found;
  const rest = looked.slice(all.length);
  const said = name ?? /^[^:]{0,200}: (.+)$/.exec(rest)?.[1] ?? "";
  return { indent: space.length, role, name: said, ref: uid ?? /\[ref=([^\]\s]+)\]/.exec(rest)?.[1] ?? null };
}

/** Names are cut behind some hundred characters; the ref of one that is longer stands behind it. */
const lineCharsMax = 2_000;
const element = /^(\s*)(?:- '?(?=[a-z]+(?:[ :]|$))|uid=(\S+) )([A-Za-z]+)(?: "((?:[^"\\]|\\.)*)")?/;

/** What can be clicked, filled, chosen or opened. */
export function isUsable({ role }: PageLine): boolean {
  return usable.has(role.toLowerCase());
}

const usable: ReadonlySet<string> = new Set(
  (
    "button link textbox searchbox checkbox radio combobox listbox option tab menuitem menuitemcheckbox menuitemradio " +
    "switch slider spinbutton treeitem disclosuretriangle popupbutton togglebutton"
  ).split(" "),
);
