import { join } from 'node:path';
import { app, dialog } from 'electron';
import { createDataFolder } from '#config/data-folder.ts';
import { createEngine } from '#engine/engine.ts';
import type { Engine, NamedServer } from '#engine/platform.ts';
import { appVersion, demoServer, pageFolder } from '../app-root.ts';
import { exitCodes } from '../cli/exit-codes.ts';
import { takeNamedServer } from '../named-server.ts';
import { onPageRebuilt } from '../page-rebuilt.ts';
import { carryContract, tellEvents } from './ipc.ts';
import { denyPermissions, lockNavigation } from './lockdown.ts';
import { setMenu } from './menu.ts';
import { registerPageScheme, servePage } from './page-protocol.ts';
import { closeBeforeQuit } from './quit.ts';
import { becomeOnlyInstance, onSecondInstance } from './single-instance.ts';
import { openSecrets } from './secrets.ts';
import { sayWhenSlow } from './slow-step.ts';
import { openWindow } from './window.ts';
import { rememberPlace } from './window-bounds.ts';

async function startElectron(): Promise<void> {
  const dataFolder = createDataFolder();
  app.setName('Sightglass');
  // Chromium's own files lie beside ours, and one data folder is one instance.
  app.setPath('userData', join(dataFolder, 'electron'));
  const namedServer = takeNamedServer(process.argv, process.env);
  if (!becomeOnlyInstance(namedServer)) return app.exit(exitCodes.fine);
  lockNavigation();
  await app.whenReady();

  denyPermissions();
  servePage(pageFolder);
  setMenu();
  const starting = startEngine(dataFolder, namedServer);
  carryContract(starting);
  const window = openWindow(dataFolder);
  onSecondInstance(window, starting);
  const stopWatching = onPageRebuilt(() => window.webContents.reload());
  closeBeforeQuit(
    async () => stopWatching(),
    rememberPlace(window, dataFolder),
    async () => (await starting).close(),
  );
  tellEvents(await starting);
}

async function startEngine(dataFolder: string, namedServer: NamedServer | null): Promise<Engine> {
  const secrets = await sayWhenSlow('the key store', openSecrets(dataFolder));
  const engine = createEngine({
    host: 'electron',
    appVersion,
    dataFolder,
    secrets,
    demoServer,
    ...(namedServer ? { namedServer } : {}),
  });
  return sayWhenSlow('the engine', engine);
}

function giveUp(error: unknown): void {
  console.error('sightglass: cannot start:', error);
  dialog.showErrorBox('Sightglass cannot start', error instanceof Error ? error.message : String(error));
  app.exit(exitCodes.internal);
}

registerPageScheme();
// Never awaited here: Electron is ready only after this module has been evaluated.
void startElectron().catch(giveUp);
