import { app, dialog, type BrowserWindow } from 'electron';
import { z } from 'zod';
import type { Engine, Named } from '#engine/platform.ts';
import { namedFile, namedSchema } from '#hosts/named.ts';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import { showWindow } from './window.ts';

/** Opens what was named outside the page. Never rejects: shows a fault in a dialog. */
export async function openNamed(engine: Engine, named: Named): Promise<void> {
  try {
    if (named.kind === 'file') await engine.openFile(named.path);
    else await engine.openNamed(named);
  } catch (error) {
    showOpenFault(faultOf('opened what was named', error));
  }
}

/** Files that the desktop asks to open (macOS), from before the app is ready on. */
export function onOpenFile(open: (named: Named) => void): void {
  app.on('open-file', (asked, path) => {
    asked.preventDefault();
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
const handOverSchema = z.object({ named: namedSchema.nullable() });

/** Whether this is the first instance on its data folder. If not, the first one has been notified. */
export function becomeOnlyInstance(named: Named | null): boolean {
  return app.requestSingleInstanceLock({ named });
}

/** Shows the window when the app is started again, and opens what that start named. */
export function onSecondInstance(window: BrowserWindow, open: (named: Named) => void): void {
  app.on('second-instance', (_event, _argv, _folder, handOver) => {
    if (!window.isDestroyed()) showWindow(window);
    const { named } = handOverSchema.parse(handOver);
    if (named !== null) open(named);
  });
}
