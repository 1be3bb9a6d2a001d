import { childEnv } from "./shell-env.ts";

/**
 * What a server sees of our environment: what programs need to find their files, to speak the user's language and to get to
 * the network, and nothing else; the rest is for its entry to give (`env`). Unlike a command, which gets all but secrets
 * (decision 0017), a server is somebody else's program that runs all the time.
 */
export function serverEnv(
  env: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
  hidden: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(childEnv(env, { pass: [], set: {} }, hidden))) {
    if (passed.test(name)) kept[name] = value;
  }
  return { ...kept, ...own };
}

const passed = new RegExp(
  `^(?:${[
    "PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TMP|TEMP|TZ|LANG|LANGUAGE|LC_[A-Z]+|XDG_[A-Z_]+|DISPLAY|WAYLAND_DISPLAY",
    "HTTPS?_PROXY|NO_PROXY|ALL_PROXY|https?_proxy|no_proxy|all_proxy|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS",
    "NVM_DIR|VOLTA_HOME|ASDF_DIR|PYENV_ROOT|JAVA_HOME|GOPATH|CARGO_HOME|DOTNET_ROOT|DOCKER_HOST|LD_LIBRARY_PATH",
    "PLAYWRIGHT_BROWSERS_PATH",
  ].join("|")})$`,
);
