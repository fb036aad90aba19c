import { app, type BrowserWindow } from 'electron';
import { z } from 'zod';
import type { Engine, NamedServer } from '#engine/platform.ts';
import { namedServerSchema } from '../named-server.ts';
import { showWindow } from './window.ts';

/** What a second start tells the first. Chromium reorders plain arguments on their way. */
const handOverSchema = z.object({ namedServer: namedServerSchema.nullable() });

/** Whether this is the first start on its data folder. If not, the first one has been told of ours. */
export function becomeOnlyInstance(namedServer: NamedServer | null): boolean {
  return app.requestSingleInstanceLock({ namedServer });
}

/** Shows the window when the app is started again, and opens what that start named. */
export function onSecondInstance(window: BrowserWindow, starting: Promise<Engine>): void {
  app.on('second-instance', (_event, _argv, _folder, handOver) => {
    if (!window.isDestroyed()) showWindow(window);
    const { namedServer } = handOverSchema.parse(handOver);
    if (namedServer === null) return;
    starting
      .then((engine) => engine.openNamed(namedServer))
      .catch((error: unknown) => console.error('sightglass: cannot open what a second start named:', error));
  });
}
