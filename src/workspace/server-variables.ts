/**
 * `${NAME}` and `${NAME:-what stands for it}` in the texts of a server's entry; `${env:NAME}`, as other programs write it, is the
 * same. A variable that is not set, and a form that is not known, stays as it is written and is told of. Values are not looked
 * into again.
 */
export function withVariables(text: string, env: Environment, onUnset: (form: string) => void): string {
  return text.replaceAll(form, (whole, name: string, instead: string | undefined) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) return value;
    if (instead !== undefined) return instead;
    onUnset(whole);
    return whole;
  });
}

export type Environment = Readonly<Record<string, string | undefined>>;

const form = /\$\{(?:env:)?([A-Za-z_]\w*|input:[\w.-]+)(?::-([^}]*))?\}/g;
