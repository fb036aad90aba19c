import { _electron } from 'playwright/test';
import { findElectron } from '#scripts/electron-binary.ts';
import { type AppHost, projectRoot, type RunningApp, type StartSettings } from './host.ts';

/** The app in Electron. */
export class ElectronApps implements AppHost {
  async start({ home, command }: StartSettings): Promise<RunningApp> {
    const executablePath = findElectron();
    if (!executablePath)
      throw new Error('No Electron binary: npx install-electron, or ELECTRON_OVERRIDE_DIST_PATH');
    const target = command.length > 0 ? ['--', ...command] : [];
    const app = await _electron.launch({
      executablePath,
      args: [projectRoot, ...target],
      cwd: projectRoot,
      env: { ...(process.env as Record<string, string>), SIGHTGLASS_HOME: home },
      // Electron does not run as root in its sandbox.
      chromiumSandbox: process.getuid?.() !== 0,
      timeout: 60_000,
    });
    const child = app.process();
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (more) => (output += String(more)));
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const page = await app.firstWindow();
    return {
      page,
      enginePid: child.pid ?? -1,
      address: null,
      ended,
      output: () => output,
      async close() {
        await app.close();
        await ended;
      },
    };
  }

  async end(): Promise<void> {}
}
