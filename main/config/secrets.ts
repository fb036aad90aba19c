/** Keeps secret values apart from the settings. */
export interface Secrets {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** Keeps secrets until the process ends: where there is no key store, nothing is written to disk. */
export function memorySecrets(): Secrets & { readonly isPersistent: false } {
  const values = new Map<string, string>();
  return {
    isPersistent: false,
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => {
      values.set(key, value);
    },
    remove: async (key) => {
      values.delete(key);
    },
  };
}
