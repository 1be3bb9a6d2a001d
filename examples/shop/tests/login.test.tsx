import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { fakeServer, header, json, messageOf, openShop, press, type } from "./helpers.tsx";

const ada = { token: "t-1", user: { name: "Ada Lovelace", email: "ada@example.org" } };
const welcoming = () =>
  fakeServer({ "POST /api/login": () => json(200, ada), "POST /api/logout": () => json(200, {}) });
const refusing = (status: number, code: string, headers: Record<string, string> = {}) =>
  fakeServer({ "POST /api/login": () => json(status, { code }, headers) });

function signIn(email = "ada@example.org", password = "correct horse"): void {
  type("Email", email);
  type("Password", password);
  press("Sign in");
}

describe("the way to the login page", () => {
  test("the header has a link to it", () => {
    openShop("/cart");
    expect(header().getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe("/login");
  });
  test("the link opens it without leaving the page", () => {
    const { router } = openShop("/cart");
    fireEvent.click(header().getByRole("link", { name: "Sign in" }));
    expect(router.path()).toBe("/login");
    expect(screen.getByRole("heading", { name: "Sign in" })).toBeDefined();
  });
  test("it asks for email and password, in a way that password managers understand", () => {
    openShop("/login");
    expect(screen.getByLabelText("Email").getAttribute("autocomplete")).toBe("username");
    const password = screen.getByLabelText("Password");
    expect(password.getAttribute("type")).toBe("password");
    expect(password.getAttribute("autocomplete")).toBe("current-password");
  });
});

describe("validation before anything is sent", () => {
  test("an empty form says what to enter", () => {
    const { server } = openShop("/login", welcoming());
    press("Sign in");
    expect(messageOf("Email")).toBe("Enter your email address.");
    expect(messageOf("Password")).toBe("Enter your password.");
    expect(server.posted("/api/login")).toEqual([]);
  });
  test.each(["ada", "ada@", "@example.org", "ada@example", "ada lovelace@example.org"])("%s is no address", (email) => {
    const { server } = openShop("/login", welcoming());
    signIn(email);
    expect(messageOf("Email")).toBe("This does not look like an email address.");
    expect(server.posted("/api/login")).toEqual([]);
  });
  test.each(["ada@example.org", "ada+shop@example.org", "a.l@mail.example.co.uk", "ADA_1@EXAMPLE.ORG"])(
    "%s is an address",
    async (email) => {
      const { server } = openShop("/login", welcoming());
      signIn(email);
      await waitFor(() => expect(server.posted("/api/login")).toHaveLength(1));
    },
  );
  test("a short password is named as such", () => {
    const { server } = openShop("/login", welcoming());
    signIn("ada@example.org", "seven77");
    expect(messageOf("Password")).toBe("A password has at least 8 characters.");
    expect(server.posted("/api/login")).toEqual([]);
  });
  test("the first bad field gets the focus", () => {
    openShop("/login");
    type("Email", "ada@example.org");
    press("Sign in");
    expect(document.activeElement).toBe(screen.getByLabelText("Password"));
  });
  test("a message goes away when its field is changed", () => {
    openShop("/login");
    press("Sign in");
    type("Email", "a");
    expect(messageOf("Email")).toBeNull();
    expect(messageOf("Password")).toBe("Enter your password.");
  });
});

describe("the call to the server", () => {
  test("sends address and password as JSON, the address without spaces around it", async () => {
    const { server } = openShop("/login", welcoming());
    signIn("  ada@example.org ", " correct horse ");
    await waitFor(() => expect(server.posted("/api/login")).toHaveLength(1));
    expect(server.posted("/api/login")[0]?.body).toEqual({ email: "ada@example.org", password: " correct horse " });
  });
  test("says that it is busy, and sends once", async () => {
    let answer: (response: Response) => void = () => undefined;
    const pending = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const { server } = openShop("/login", fakeServer({ "POST /api/login": () => pending }));
    signIn();
    const busy = await screen.findByRole("button", { name: "Signing in…" });
    expect(busy.hasAttribute("disabled")).toBe(true);
    fireEvent.click(busy);
    answer(json(200, ada));
    await header().findByText("Ada Lovelace");
    expect(server.posted("/api/login")).toHaveLength(1);
  });
  test("a wrong password keeps the address and clears the password", async () => {
    openShop("/login", refusing(401, "bad-credentials"));
    signIn();
    expect((await screen.findByRole("alert")).textContent).toBe("Email or password is wrong.");
    expect(screen.getByLabelText("Email")).toHaveProperty("value", "ada@example.org");
    expect(screen.getByLabelText("Password")).toHaveProperty("value", "");
  });
  test("too many attempts names the waiting time", async () => {
    openShop("/login", refusing(429, "slow-down", { "retry-after": "30" }));
    signIn();
    expect((await screen.findByRole("alert")).textContent).toBe("Too many attempts. Try again in 30 seconds.");
  });
  test("no connection is said, and trying again works", async () => {
    let tries = 0;
    const flaky = () => {
      tries += 1;
      if (tries === 1) throw new TypeError("fetch failed");
      return json(200, ada);
    };
    openShop("/login", fakeServer({ "POST /api/login": flaky }));
    signIn();
    expect((await screen.findByRole("alert")).textContent).toMatch(/could not reach the shop/);
    signIn();
    await header().findByText("Ada Lovelace");
  });
});

describe("after signing in", () => {
  test("the visitor is greeted in the header and is back in the catalogue", async () => {
    const { router } = openShop("/login", welcoming());
    signIn();
    await header().findByText("Ada Lovelace");
    expect(router.path()).toBe("/");
    expect(header().queryByRole("link", { name: "Sign in" })).toBeNull();
  });
  test("the cart is kept", async () => {
    openShop("/product/spork-ti", welcoming());
    fireEvent.click(await screen.findByRole("button", { name: "Add to cart" }));
    fireEvent.click(header().getByRole("link", { name: "Sign in" }));
    signIn();
    await header().findByText("Ada Lovelace");
    expect(header().getByRole("link", { name: "Cart, 1 item" })).toBeDefined();
  });
  test("signing out tells the server with the token and brings the link back", async () => {
    const { server } = openShop("/login", welcoming());
    signIn();
    await header().findByText("Ada Lovelace");
    press("Sign out");
    await header().findByRole("link", { name: "Sign in" });
    expect(server.posted("/api/logout")[0]?.headers.get("authorization")).toBe("Bearer t-1");
  });
  test("signing out works for the visitor even when the server does not answer", async () => {
    const server = fakeServer({ "POST /api/login": () => json(200, ada), "POST /api/logout": () => json(503, {}) });
    openShop("/login", server);
    signIn();
    await header().findByText("Ada Lovelace");
    press("Sign out");
    await header().findByRole("link", { name: "Sign in" });
  });
});
