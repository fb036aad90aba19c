import { dataFolder } from '#config/data-folder.ts';
import { memorySecrets } from '#config/secrets.ts';
import type { NamedServer, Platform } from '#engine/platform.ts';
import { appVersion, demoServer, reportError } from '#hosts/app-root.ts';

/** The platform of a terminal command, which keeps secrets in memory only. */
export const cliPlatform = (namedServer?: NamedServer): Platform => ({
  host: 'cli',
  appVersion,
  dataFolder: dataFolder(),
  secrets: memorySecrets(),
  demoServer,
  reportError,
  ...(namedServer !== undefined && { namedServer }),
});
