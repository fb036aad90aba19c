import { app, dialog, type BrowserWindow } from 'electron';
import { z } from 'zod';
import { type Engine, type StartupTarget, startupTargetSchema } from '#main/platform.ts';
import { namedFile } from '#hosts/startup-target.ts';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import { showWindow } from './window.ts';

/** Opens a server or file that was named outside the page. Never rejects: shows a fault in a dialog. */
export async function openTarget(engine: Engine, target: StartupTarget): Promise<void> {
  try {
    if (target.kind === 'file') await engine.openFile(target.path);
    else await engine.openServer(target);
  } catch (error) {
    showOpenFault(faultOf('opened what was named', error));
  }
}

/** Opens files that the desktop requests (macOS); it may do so before the app is ready. */
export function onOpenFile(open: (target: StartupTarget) => void): void {
  app.on('open-file', (event, path) => {
    event.preventDefault();
    open(namedFile(path));
  });
}

function showOpenFault({ what, why, next, evidence }: Fault): void {
  console.error(`sightglass: ${what}`, evidence ?? '');
  const detail = [why, next, evidence].filter((text) => text !== undefined).join('\n\n');
  dialog
    .showMessageBox({ type: 'error', message: what, detail })
    .catch((error: unknown) => console.error('sightglass: cannot say so in a dialog:', error));
}

/** What a second instance sends to the first. Not in plain arguments, which Chromium reorders. */
const handOverSchema = z.object({ target: startupTargetSchema.nullable() });

/** Whether this is the first instance on its data folder. If not, the first one has been notified. */
export function becomeOnlyInstance(target: StartupTarget | null): boolean {
  return app.requestSingleInstanceLock({ target });
}

/** Shows the window when the app is started again, and opens what that start named. */
export function onSecondInstance(window: BrowserWindow, open: (target: StartupTarget) => void): void {
  app.on('second-instance', (_event, _argv, _folder, handOver) => {
    if (!window.isDestroyed()) showWindow(window);
    const { target } = handOverSchema.parse(handOver);
    if (target !== null) open(target);
  });
}
