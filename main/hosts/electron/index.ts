import { join } from 'node:path';
import { app, dialog } from 'electron';
import { createDataFolder } from '#config/data-folder.ts';
import { createEngine } from '#main/engine.ts';
import type { Engine, StartupTarget } from '#main/platform.ts';
import { appVersion, demoServer, pageFolder, reportError } from '#hosts/app-root.ts';
import { exitCodes } from '#hosts/cli/exit.ts';
import { faultText } from '#hosts/cli/output.ts';
import { closeInOrder, onEndSignal } from '#hosts/close-in-order.ts';
import { guardRunner } from '#hosts/runner-commands.ts';
import { takeStartupTarget } from '#hosts/startup-target.ts';
import { onPageRebuilt } from '#hosts/page-files.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import { exposeDesktop, exposeMenus, carryContract, sendEvents } from './ipc.ts';
import { startDemoServer } from './demo-process.ts';
import { denyPermissions, lockNavigation, openInBrowser } from './lockdown.ts';
import { fillMenus } from './menus.ts';
import { onOpenFile, openTarget, becomeOnlyInstance, onSecondInstance } from './open-target.ts';
import { registerPageScheme, servePage } from './page-protocol.ts';
import { openSecrets } from './secrets.ts';
import { sayWhenSlow } from './slow-step.ts';
import { closeWindow, openWindow, rememberBounds } from './window.ts';

async function startElectron(): Promise<void> {
  guardRunner();
  const dataFolder = createDataFolder();
  app.setName('Sightglass');
  // Chromium's own files lie beside ours, and one data folder is one instance.
  app.setPath('userData', join(dataFolder, 'electron'));
  const target = takeStartupTarget(process.argv, process.env);
  if (!becomeOnlyInstance(target)) return app.exit(exitCodes.fine);
  const pending: StartupTarget[] = [];
  let open = (one: StartupTarget): void => void pending.push(one);
  onOpenFile((one) => open(one));
  lockNavigation();
  await app.whenReady();

  denyPermissions();
  servePage(pageFolder);
  const starting = startEngine(dataFolder, target, pending);
  open = (one) => {
    starting
      .then((engine) => openTarget(engine, one))
      .catch((error: unknown) => console.error('sightglass: cannot open what was named:', error));
  };
  carryContract(starting);
  const window = openWindow(dataFolder);
  exposeDesktop(window);
  exposeMenus(fillMenus(window));
  onSecondInstance(window, open);
  const stopWatching = onPageRebuilt(() => window.webContents.reload());
  const saveBounds = rememberBounds(window, dataFolder);
  closeBeforeQuit(
    async () => stopWatching(),
    () => closeWindow(window),
    saveBounds,
    async () => (await starting).close(),
  );
  sendEvents(await starting);
}

/** @param pending what the desktop requested to open before the app was ready */
async function startEngine(
  dataFolder: string,
  target: StartupTarget | null,
  pending: readonly StartupTarget[],
): Promise<Engine> {
  const secrets = await sayWhenSlow('the key store', openSecrets(dataFolder));
  const isServer = target !== null && target.kind !== 'file';
  const engine = await sayWhenSlow(
    'the engine',
    createEngine({
      host: 'electron',
      appVersion,
      dataFolder,
      secrets,
      demoServer: { ...demoServer, start: startDemoServer },
      reportError,
      openInBrowser,
      ...(isServer && { namedServer: target }),
    }),
  );
  const targets = target === null || isServer ? pending : [target, ...pending];
  for (const one of targets) await openTarget(engine, one);
  return engine;
}

/**
 * Quits the app when its window closes or the process is asked to end, after the given parts have closed: servers
 * must not outlive the app.
 */
function closeBeforeQuit(...parts: readonly (() => Promise<unknown>)[]): void {
  let isClosing = false;

  async function closeAndExit(): Promise<void> {
    // Started again from now on, the app is a new one.
    app.releaseSingleInstanceLock();
    await closeInOrder(parts);
    app.exit(0);
  }

  app.on('before-quit', (quitting) => {
    quitting.preventDefault();
    if (isClosing) return;
    isClosing = true;
    void closeAndExit();
  });
  app.on('window-all-closed', () => app.quit());
  onEndSignal(() => app.quit());
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
