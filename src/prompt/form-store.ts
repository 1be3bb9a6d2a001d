import type { Hash } from "../kernel/ids.ts";
import type { FormStore } from "./segment.ts";

/** A `FormStore` that lives as long as the process. Whoever puts first decides the form; later ones are told it. */
export function memoryFormStore(): FormStore {
  const forms = new Map<Hash, string>();
  return {
    async putIfAbsent(chain, form) {
      const known = forms.get(chain);
      if (known !== undefined) return known;
      forms.set(chain, form);
      return form;
    },
    async get(chain) {
      return forms.get(chain) ?? null;
    },
  };
}
