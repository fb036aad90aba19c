import { z } from 'zod';
import { JsonFile } from '#config/json-file.ts';
import type { SecretStore } from '#engine/platform.ts';

/** Turns a secret into bytes that only this user on this machine can turn back. */
export interface Cipher {
  encrypt(text: string): Promise<Buffer>;
  /** Rejects when the key store has lost the key. `isStale` asks for the value to be encrypted again. */
  decrypt(bytes: Buffer): Promise<{ text: string; isStale: boolean }>;
}

const fileSchema = z.object({ version: z.literal(1), values: z.array(z.tuple([z.string(), z.base64()])) });

/** Secrets in one file, each encrypted by the cipher. Names are readable, values are not. */
export function secretsFile(path: string, cipher: Cipher): SecretStore {
  const file = new JsonFile(path, fileSchema, { version: 1, values: [] });

  async function change(edit: (values: Map<string, string>) => void): Promise<void> {
    await file.update((before) => {
      const values = new Map(before.values);
      edit(values);
      return { version: 1, values: [...values] };
    });
  }

  async function set(key: string, value: string): Promise<void> {
    const encrypted = (await cipher.encrypt(value)).toString('base64');
    await change((values) => values.set(key, encrypted));
  }

  return {
    isPersistent: true,
    async get(key) {
      const encrypted = new Map((await file.read()).values).get(key);
      if (encrypted === undefined) return null;
      const decrypted = await cipher.decrypt(Buffer.from(encrypted, 'base64')).catch(() => null);
      if (decrypted === null) return null; // A value whose key is lost is as good as gone.
      if (decrypted.isStale) await set(key, decrypted.text);
      return decrypted.text;
    },
    set,
    remove: (key) => change((values) => values.delete(key)),
  };
}
