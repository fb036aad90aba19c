import { app, type BrowserWindow } from 'electron';
import { z } from 'zod';
import type { Engine } from '#engine/platform.ts';
import type { CommandLine } from '../command-line.ts';
import { showWindow } from './window.ts';

/** What a second start tells the first. Chromium reorders plain arguments on their way. */
const handOverSchema = z.object({
  cwd: z.string(),
  commandLine: z.object({ command: z.string(), args: z.array(z.string()) }).nullable(),
});

/** Whether this is the first start on its data folder. If not, the first one has been told of ours. */
export function becomeOnlyInstance(commandLine: CommandLine | null): boolean {
  return app.requestSingleInstanceLock({ cwd: process.cwd(), commandLine });
}

/** Shows the window when the app is started again, and opens what that start named. */
export function onSecondInstance(window: BrowserWindow, starting: Promise<Engine>): void {
  app.on('second-instance', (_event, _argv, _folder, handOver) => {
    if (!window.isDestroyed()) showWindow(window);
    const { cwd, commandLine } = handOverSchema.parse(handOver);
    if (commandLine === null) return;
    starting
      .then((engine) => engine.openCommandLine({ ...commandLine, cwd }))
      .catch((error: unknown) => console.error('sightglass: cannot open what a second start named:', error));
  });
}
