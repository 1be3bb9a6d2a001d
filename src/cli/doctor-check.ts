/** One line of `varve doctor`. `todo`: what to do about it. */
export type Check = {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly said: string;
  readonly todo: string | null;
};

export const ok = (name: string, said: string): Check => ({ name, state: "ok", said, todo: null });
export const warn = (name: string, said: string, todo: string): Check => ({ name, state: "warn", said, todo });
export const failed = (name: string, said: string, todo: string): Check => ({ name, state: "fail", said, todo });
