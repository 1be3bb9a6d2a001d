/**
 * What the demo's engineer writes into new files. Strings that stand in files already are not here: an edit takes its
 * old text out of the prompt.
 */

/** The address pattern forgets the plus sign; the sample's tests find that out. */
export const validateLogin = `import type { Credentials } from "../types.ts";

/** Messages by field; a field without one is fine. */
export type LoginErrors = Partial<Record<keyof Credentials, string>>;

/** The order in which the fields stand, and in which the first bad one gets the focus. */
export const loginFields: readonly (keyof Credentials)[] = ["email", "password"];

const passwordLengthMin = 8;
const address = /^[a-z0-9._-]+@[a-z0-9-]+(\\.[a-z0-9-]+)+$/i;

export function validateLogin({ email, password }: Credentials): LoginErrors {
  const errors: LoginErrors = {};
  if (email.trim() === "") errors.email = "Enter your email address.";
  else if (!address.test(email.trim())) errors.email = "This does not look like an email address.";
  if (password === "") errors.password = "Enter your password.";
  else if (password.length < passwordLengthMin)
    errors.password = \`A password has at least \${passwordLengthMin} characters.\`;
  return errors;
}
`;

export const sessionProvider = `import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { Api } from "../api.ts";
import type { Credentials, Session } from "../types.ts";

type SessionValue = {
  /** null: nobody is signed in. */
  readonly session: Session | null;
  readonly signIn: (credentials: Credentials) => Promise<void>;
  readonly signOut: () => Promise<void>;
};

const SessionContext = createContext<SessionValue | null>(null);

/** The session lives as long as the page: the token is never written to storage, where any script could read it. */
export function SessionProvider({ api, children }: { readonly api: Api; readonly children: ReactNode }) {
  const [session, setSession] = useState<Session | null>(null);
  const value = useMemo(
    () => ({
      session,
      signIn: async (credentials: Credentials) => setSession(await api.login(credentials)),
      signOut: async () => {
        setSession(null);
        // The visitor is signed out here in any case; a server that cannot be told lets the token run out.
        if (session !== null) await api.logout(session.token).catch(() => undefined);
      },
    }),
    [api, session],
  );
  return <SessionContext value={value}>{children}</SessionContext>;
}

export function useSession(): SessionValue {
  const value = useContext(SessionContext);
  if (value === null) throw new Error("useSession needs a SessionProvider above it");
  return value;
}
`;

export const loginPage = `import { type FormEvent, useRef, useState } from "react";
import { ApiError, messageFor } from "../api.ts";
import { Button } from "../components/Button.tsx";
import { Field } from "../components/Field.tsx";
import { Notice } from "../components/Notice.tsx";
import type { Router } from "../router.ts";
import { useSession } from "../session/SessionProvider.tsx";
import type { Credentials } from "../types.ts";
import { type LoginErrors, loginFields, validateLogin } from "./validateLogin.ts";

const empty: Credentials = { email: "", password: "" };

export function LoginPage({ router }: { readonly router: Router }) {
  const { signIn } = useSession();
  const [credentials, setCredentials] = useState(empty);
  const [errors, setErrors] = useState<LoginErrors>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [sending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  function change(field: keyof Credentials, value: string) {
    setCredentials({ ...credentials, [field]: value });
    setErrors({ ...errors, [field]: undefined });
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (sending) return;
    const found = validateLogin(credentials);
    setErrors(found);
    const firstBad = loginFields.find((field) => found[field] !== undefined);
    if (firstBad !== undefined) {
      form.current?.querySelector<HTMLInputElement>(\`#\${firstBad}\`)?.focus();
      return;
    }
    setSending(true);
    setFailure(null);
    try {
      await signIn({ email: credentials.email.trim(), password: credentials.password });
      router.go("/");
    } catch (error) {
      setFailure(loginMessage(error));
      setCredentials({ ...credentials, password: "" });
      setSending(false);
    }
  }

  return (
    <section className="form-page login">
      <h1>Sign in</h1>
      <form ref={form} noValidate onSubmit={submit}>
        {failure !== null && <Notice kind="error">{failure}</Notice>}
        <Field
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          value={credentials.email}
          error={errors.email}
          onChange={(value) => change("email", value)}
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          value={credentials.password}
          error={errors.password}
          onChange={(value) => change("password", value)}
        />
        <Button kind="primary" type="submit" disabled={sending}>
          {sending ? "Signing in…" : "Sign in"}
        </Button>
      </form>
    </section>
  );
}

/** The server's 401 means the credentials here; everywhere else it would mean a lost session. */
function loginMessage(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) return "Email or password is wrong.";
  return messageFor(error);
}
`;

export const sessionTypes = `
export type Credentials = {
  readonly email: string;
  readonly password: string;
};

export type Session = {
  readonly token: string;
  readonly user: { readonly name: string; readonly email: string };
};
`;

export const accountLinks = `        {session === null ? (
          <Link to="/login" router={router}>
            Sign in
          </Link>
        ) : (
          <>
            <span className="visitor">{session.user.name}</span>
            <Button kind="quiet" onClick={signOut}>
              Sign out
            </Button>
          </>
        )}
`;

export const loginStyles = `
.login .button {
  width: 100%;
}

.visitor {
  color: var(--quiet);
  font-weight: 600;
}
`;
