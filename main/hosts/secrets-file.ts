import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { JsonFile } from '#config/json-file.ts';
import type { SecretStore } from '#main/platform.ts';

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
    exclusively: (name, work) => {
      const id = createHash('sha256').update(name).digest('hex').slice(0, 16);
      return withLockFile(`${path}.${id}.lock`, work);
    },
  };
}

/** Milliseconds between two attempts to get a lock. */
const RETRY_LOCK_EVERY = 50;

/** Milliseconds after which a lock counts as left behind, even by a running process: longer than any exchange. */
const LOCK_LIFETIME = 60_000;

/** Runs the work while the file exists, which holds the ID of our process. A lock of a process that has ended is removed. */
async function withLockFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  while (!(await takeLock(path))) await delay(RETRY_LOCK_EVERY);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
  }
  const [holder, taken] = await Promise.all([
    readFile(path, 'utf8').catch(() => null),
    stat(path).catch(() => null),
  ]);
  // Released since, so the next attempt may succeed.
  if (holder === null || taken === null) return false;
  const isLeft = Date.now() - taken.mtimeMs > LOCK_LIFETIME || (holder !== '' && !isRunning(Number(holder)));
  if (isLeft) await rm(path, { force: true });
  return false;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process must not be signalled, but it runs.
    return isSystemError(error) && error.code === 'EPERM';
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error;
