import { expect, test } from "vitest";
import { childEnv } from "../../src/adapters/shell-env.ts";

const secrets = {
  ANTHROPIC_API_KEY: "x",
  OPENAI_API_KEY: "x",
  PROVIDER_KEY: "TESTKEY-9",
  GITHUB_TOKEN: "x",
  GH_TOKEN: "x",
  MY_SECRET: "x",
  AWS_SECRET_ACCESS_KEY: "x",
  AWS_ACCESS_KEY_ID: "x",
  AWS_SESSION_TOKEN: "x",
  DB_PASSWORD: "x",
  PASSWORD_FILE: "x",
  MYSQL_PWD: "x",
  PGPASSWORD: "x",
  npm_config__authToken: "x",
  npm_config__auth: "x",
  api_key: "x",
  APIKEY: "x",
  GOOGLE_APPLICATION_CREDENTIALS: "x",
  SSH_KEY_PASSPHRASE: "x",
  DATABASE_URL: "postgres://u:p@h/db",
  "X-API-KEY": "x",
};
const bashStarters = { BASH_ENV: "/x", ENV: "/x", SHELLOPTS: "xtrace", "BASH_FUNC_ls%%": "() { touch P; }" };
const plain = {
  PATH: "/bin",
  HOME: "/h",
  PWD: "/p",
  OLDPWD: "/o",
  SSH_AUTH_SOCK: "/s",
  KEYBOARD: "us",
  LANG: "C",
  TERM: "dumb",
  MONKEY: "1",
  AUTHOR: "me",
  HTTP_PROXY: "http://proxy:80",
  SOME_URL: "https://h/a:b@c",
};

test("C-127 · nothing that looks like a secret, by name or as a password in an address, reaches a child", () => {
  expect(childEnv({ ...secrets, ...plain })).toEqual(plain);
});

test("nothing that makes bash run other code first reaches a child", () => {
  expect(childEnv({ ...bashStarters, ...plain, UNSET: undefined })).toEqual(plain);
});

test("C-127 · the provider's key reaches no child under any name; what the user passes or sets by name does", () => {
  const env = {
    PLAIN: "TESTKEY-9",
    LONG: "x-TESTKEY-9-x",
    NPM_TOKEN: "n",
    GH_TOKEN: "g",
    BASH_ENV: "/x",
    PATH: "/bin",
  };
  const said = { pass: ["NPM_TOKEN", "BASH_ENV"], set: { CI: "1", PATH: "/opt" } };
  expect(childEnv(env, said, ["TESTKEY-9"])).toEqual({ NPM_TOKEN: "n", PATH: "/opt", CI: "1" });
});
