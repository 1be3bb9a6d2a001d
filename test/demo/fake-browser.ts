import type { Outcome } from "./fake-tools.ts";

/** The finished shop behind the browser tools, as far as the demo's plan uses them; what it says is Playwright's own form. */
export function fakeBrowser() {
  let path = "/";
  let items = 0;
  let name: string | null = null;
  let alert: string | null = null;
  let faults: Readonly<Record<string, string>> = {};
  let values: Readonly<Record<string, string>> = { e21: "", e22: "" };
  const sent: string[] = [];

  function header(): readonly string[] {
    const cart = `    - link "Cart, ${items} item${items === 1 ? "" : "s"}" [ref=e8] [cursor=pointer]:`;
    const account =
      name === null
        ? ['    - link "Sign in" [ref=e9] [cursor=pointer]:']
        : [`    - generic [ref=e12]: ${name}`, '    - button "Sign out" [ref=e13] [cursor=pointer]'];
    return ["  - banner [ref=e4]:", cart, ...account];
  }

  function main(): readonly string[] {
    if (path === "/") return ["  - main [ref=e10]:", ...articles];
    const field = (label: string, ref: string) => [
      `    - textbox "${label}" [ref=${ref}]: ${values[ref]}`,
      ...(faults[ref] === undefined ? [] : [`    - paragraph [ref=${ref}0]: ${faults[ref]}`]),
    ];
    const said = alert === null ? [] : [`    - alert [ref=e30]: ${alert}`];
    const button = '    - button "Sign in" [ref=e23] [cursor=pointer]';
    return ["  - main [ref=e10]:", ...said, ...field("Email", "e21"), ...field("Password", "e22"), button];
  }

  function submit(): void {
    const { e21: email = "", e22: password = "" } = values;
    faults = {
      ...(/@\w+\.\w+$/.test(email) ? {} : { e21: "This does not look like an email address." }),
      ...(password === "" ? { e22: "Enter your password." } : {}),
    };
    if (Object.keys(faults).length > 0) return;
    const isRight = password === "correct horse";
    sent.push(
      `${sent.length + 4}. [POST] http://127.0.0.1:40000/api/login => [${isRight ? "200] OK" : "401] Unauthorized"}`,
    );
    alert = isRight ? null : "Email or password is wrong.";
    if (!isRight) return;
    name = "Ada Lovelace";
    path = "/";
  }

  const page = () => `### Page\n- Page URL: http://127.0.0.1:40000${path}\n`;
  const acted = () => said(`### Ran Playwright code\n${page()}### Snapshot\n- [Snapshot](pw/page-1.yml)`);
  const pressed: Readonly<Record<string, () => void>> = {
    e9: () => {
      path = "/login";
    },
    e13: () => {
      name = null;
    },
    e95: () => {
      items += 1;
    },
  };

  const tools: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => Outcome>> = {
    browser_navigate: () => {
      path = "/";
      return acted();
    },
    browser_snapshot: ({ target }) => {
      const lines = target === "main" ? main() : target === "header" ? header() : [...header(), ...main()];
      return said(`${page()}### Snapshot\n\`\`\`yaml\n${lines.join("\n")}\n\`\`\``);
    },
    browser_click: ({ target }) => {
      const press = pressed[String(target)];
      if (press === undefined) return failed(`Ref ${target} not found in the current page snapshot.`);
      press();
      return acted();
    },
    browser_type: ({ target, text, submit: isSubmitted }) => {
      values = { ...values, [String(target)]: String(text) };
      if (isSubmitted === true) submit();
      return acted();
    },
    browser_wait_for: ({ text }) => {
      const isThere = [...header(), ...main()].some((line) => line.includes(String(text)));
      return isThere ? said(`### Result\nWaited for ${text}`) : failed(`Timeout 5000ms exceeded: "${text}"`);
    },
    browser_network_requests: () => said(`### Result\n${sent.join("\n")}`),
    browser_console_messages: () => said("### Result\nTotal messages: 1 (Errors: 1, Warnings: 0)"),
    browser_close: () => said("### Page\nNo open pages."),
  };

  return {
    sent,
    names: Object.keys(tools).map((tool) => `mcp__playwright__${tool}`),
    run(tool: string, input: Readonly<Record<string, unknown>>): Outcome | null {
      return tools[tool.replace("mcp__playwright__", "")]?.(input) ?? null;
    },
  };
}

const articles = Array.from({ length: 60 }, (_, at) => {
  const name = at === 45 ? "Ember Stove, sand" : `Article ${at}`;
  return [
    `    - listitem [ref=e${at + 200}]:`,
    `      - button "Add ${name} to the cart" [ref=e${at + 50}] [cursor=pointer]: Add to cart`,
  ];
}).flat();

function said(text: string): Outcome {
  return { text, isError: false };
}

function failed(text: string): Outcome {
  return { text: `### Error\n${text}`, isError: true };
}
