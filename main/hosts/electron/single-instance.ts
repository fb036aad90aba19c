import { app, type BrowserWindow } from 'electron';
import { z } from 'zod';
import type { Named } from '#engine/platform.ts';
import { namedSchema } from '../named.ts';
import { showWindow } from './window.ts';

/** What a second start tells the first. Chromium reorders plain arguments on their way. */
const handOverSchema = z.object({ named: namedSchema.nullable() });

/** Whether this is the first start on its data folder. If not, the first one has been told of ours. */
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
