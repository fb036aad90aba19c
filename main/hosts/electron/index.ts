import { join } from 'node:path';
import { app, dialog } from 'electron';
import { createDataFolder } from '#config/data-folder.ts';
import { createEngine } from '#engine/engine.ts';
import type { Engine, Named } from '#engine/platform.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import { appVersion, demoServer, pageFolder, reportError } from '../app-root.ts';
import { exitCodes } from '../cli/exit-codes.ts';
import { faultText } from '../cli/fault-text.ts';
import { takeNamed } from '../named.ts';
import { onPageRebuilt } from '../page-rebuilt.ts';
import { offerDesktop } from './desktop.ts';
import { carryContract, tellEvents } from './ipc.ts';
import { denyPermissions, lockNavigation } from './lockdown.ts';
import { setMenu } from './menu.ts';
import { onOpenFile, openNamed } from './open-named.ts';
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
  const named = takeNamed(process.argv, process.env);
  if (!becomeOnlyInstance(named)) return app.exit(exitCodes.fine);
  const asked: Named[] = [];
  let open = (one: Named): void => void asked.push(one);
  onOpenFile((one) => open(one));
  lockNavigation();
  await app.whenReady();

  denyPermissions();
  servePage(pageFolder);
  setMenu();
  const starting = startEngine(dataFolder, named, asked);
  open = (one) => {
    starting
      .then((engine) => openNamed(engine, one))
      .catch((error: unknown) => console.error('sightglass: cannot open what was named:', error));
  };
  carryContract(starting);
  const window = openWindow(dataFolder);
  offerDesktop(window);
  onSecondInstance(window, open);
  const stopWatching = onPageRebuilt(() => window.webContents.reload());
  closeBeforeQuit(
    async () => stopWatching(),
    rememberPlace(window, dataFolder),
    async () => (await starting).close(),
  );
  tellEvents(await starting);
}

/** @param asked what the desktop asked to open before the app was ready */
async function startEngine(
  dataFolder: string,
  named: Named | null,
  asked: readonly Named[],
): Promise<Engine> {
  const secrets = await sayWhenSlow('the key store', openSecrets(dataFolder));
  const isServer = named !== null && named.kind !== 'file';
  const engine = await sayWhenSlow(
    'the engine',
    createEngine({
      host: 'electron',
      appVersion,
      dataFolder,
      secrets,
      demoServer,
      reportError,
      ...(isServer && { namedServer: named }),
    }),
  );
  const files = named === null || isServer ? asked : [named, ...asked];
  for (const file of files) await openNamed(engine, file);
  return engine;
}

function giveUp(error: unknown): void {
  console.error('sightglass: cannot start:', error);
  const why = error instanceof FaultError ? faultText(error.fault) : messageOf(error);
  dialog.showErrorBox('Sightglass cannot start', why);
  app.exit(exitCodes.internal);
}

registerPageScheme();
// Never awaited here: Electron is ready only after this module has been evaluated.
void startElectron().catch(giveUp);
