import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writeFileAtomically } from '#config/atomic-file.ts';
import type { SecretStore } from '#engine/platform.ts';

/** Turns a secret into bytes that only this user on this machine can turn back. */
export interface Cipher {
  encrypt(text: string): Promise<Buffer>;
  /** Rejects when the key store has lost the key. `isStale` asks for the value to be encrypted anew. */
  decrypt(bytes: Buffer): Promise<{ text: string; isStale: boolean }>;
}

const fileSchema = z.object({ version: z.literal(1), values: z.array(z.tuple([z.string(), z.base64()])) });

/** Secrets in one file, each encrypted by the cipher. Names are readable, values are not. */
export function secretsFile(path: string, cipher: Cipher): SecretStore {
  let lastChange: Promise<void> = Promise.resolve();

  // One change after the other, each on what the file holds then.
  function change(edit: (values: Map<string, string>) => void): Promise<void> {
    const mine = lastChange.then(async () => {
      const values = await readValues(path);
      edit(values);
      const content = { version: 1, values: [...values] };
      await writeFileAtomically(path, `${JSON.stringify(content, null, 2)}\n`);
    });
    lastChange = mine.catch(() => undefined); // The caller hears of it; the next change must still run.
    return mine;
  }

  async function set(key: string, value: string): Promise<void> {
    const encrypted = (await cipher.encrypt(value)).toString('base64');
    await change((values) => values.set(key, encrypted));
  }

  return {
    isPersistent: true,
    async get(key) {
      await lastChange;
      const encrypted = (await readValues(path)).get(key);
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

async function readValues(path: string): Promise<Map<string, string>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
  return new Map(fileSchema.parse(JSON.parse(text)).values);
}
