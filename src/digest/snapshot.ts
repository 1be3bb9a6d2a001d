import type { Judge } from "./form.ts";

/** What can be clicked or filled in first, then what is said; boxes without a name last. */
export function snapshotJudge(): Judge {
  return (line) => {
    if (/^### |^- Page |Console: /.test(line)) return 3;
    if (interactive.test(line)) return 4;
    if (/\bheading\b/.test(line)) return 3;
    if (/^\s*- \/url:/.test(line)) return 0.5;
    return /"[^"]+"|: \S/.test(line) ? 1 : 0.1;
  };
}

const interactive =
  /^\s*(?:- )?'?(?:uid=\S+ )?(?:link|button|textbox|searchbox|checkbox|radio|combobox|listbox|option|tab|menuitem\w*|switch|slider|spinbutton|treeitem|dialog|alert|status)\b/i;
