/** Which answer belongs to which call, where the model gave its calls no ids: answers come in the order of the calls. */
export type Links = {
  call(id: string | undefined, tool: string): string;
  /** undefined: it answers no call that is known. */
  result(id: string | undefined, tool: string): string | undefined;
};

/** The ids it makes depend on nothing behind the call, so they stay when a conversation grows. */
export function callLinks(): Links {
  const open: { readonly id: string; readonly tool: string }[] = [];
  let unnamed = 0;
  return {
    call(id, tool) {
      if (id !== undefined && id !== "") return id;
      const made = `unnamed_${unnamed++}`;
      open.push({ id: made, tool });
      return made;
    },
    result(id, tool) {
      if (id !== undefined && id !== "") return id;
      const at = open.findIndex((one) => one.tool === tool);
      return at < 0 ? undefined : open.splice(at, 1)[0]?.id;
    },
  };
}
