import { join } from 'node:path';
import { safeStorage } from 'electron';
import type { SecretStore } from '#main/platform.ts';
import { memorySecrets } from '#config/secrets.ts';
import { type Cipher, secretsFile } from '../secrets-file.ts';

/** Secrets encrypted by the key store of the operating system, or in memory if it has no secure one. */
export async function openSecrets(dataFolder: string): Promise<SecretStore> {
  const cipher = await safeStorageCipher();
  return cipher ? secretsFile(join(dataFolder, 'secrets.json'), cipher) : memorySecrets();
}

async function safeStorageCipher(): Promise<Cipher | null> {
  // Without a key store Chromium on Linux falls back to a key that everybody knows.
  const isOpenToAll =
    process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text';
  if (isOpenToAll) return null;
  // Electron before 42 has the blocking calls only.
  if (typeof safeStorage.encryptStringAsync !== 'function') {
    return safeStorage.isEncryptionAvailable() ? blockingCipher : null;
  }
  return (await safeStorage.isAsyncEncryptionAvailable()) ? asyncCipher : null;
}

const asyncCipher: Cipher = {
  encrypt: (text) => safeStorage.encryptStringAsync(text),
  async decrypt(bytes) {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(bytes);
    return { text: result, isStale: shouldReEncrypt };
  },
};

const blockingCipher: Cipher = {
  encrypt: async (text) => safeStorage.encryptString(text),
  decrypt: async (bytes) => ({ text: safeStorage.decryptString(bytes), isStale: false }),
};
