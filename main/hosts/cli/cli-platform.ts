import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '#config/data-folder.ts';
import { memorySecrets } from '#config/secrets.ts';
import type { NamedServer, Platform, SecretStore } from '#main/platform.ts';
import { secretsFile } from '#hosts/secrets-file.ts';
import { appVersion, demoServer, reportError } from '#hosts/app-root.ts';

/** The file in which `sightglass auth --save` keeps credentials, with mode 0600. */
export const credentialsFile = (): string => join(dataFolder(), 'credentials.json');

/** Keeps credentials in that file as they are: a terminal command has no key store. */
export const savedCredentials = (): SecretStore =>
  secretsFile(credentialsFile(), {
    encrypt: async (text) => Buffer.from(text),
    decrypt: async (bytes) => ({ text: bytes.toString(), isStale: false }),
  });

/** The platform of a terminal command, which keeps secrets in memory only, but uses credentials that were saved. */
export const cliPlatform = (namedServer?: NamedServer): Platform => ({
  host: 'cli',
  appVersion,
  dataFolder: dataFolder(),
  secrets: memorySecrets(),
  ...(existsSync(credentialsFile()) && { credentials: savedCredentials() }),
  demoServer,
  reportError,
  ...(namedServer !== undefined && { namedServer }),
});
