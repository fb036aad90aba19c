import { type ElectronApplication, _electron, type Page } from 'playwright/test';
import { findElectron } from '#scripts/electron-binary.ts';
import { type AppHost, projectRoot, type RunningApp, type StartSettings } from './host.ts';

/** Milliseconds until a window must show the app, or it is started once more. */
const BLANK_LIMIT = 40_000;

/** The app in Electron. */
export class ElectronApps implements AppHost {
  async start({ home, command }: StartSettings): Promise<RunningApp> {
    const executablePath = findElectron();
    if (!executablePath)
      throw new Error('No Electron binary: npx install-electron, or ELECTRON_OVERRIDE_DIST_PATH');
    const target = command.length > 0 ? ['--', ...command] : [];
    const launch = () =>
      _electron.launch({
        executablePath,
        args: [projectRoot, ...target],
        cwd: projectRoot,
        env: { ...(process.env as Record<string, string>), SIGHTGLASS_HOME: home },
        // Electron does not run as root in its sandbox.
        chromiumSandbox: process.getuid?.() !== 0,
        timeout: 60_000,
      });
    const { app, page } = await startShown(launch);
    const child = app.process();
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (more) => (output += String(more)));
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
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

/** Once in a long while Electron's window stays blank in the jail; that is said, and it is started once more. */
async function startShown(
  launch: () => Promise<ElectronApplication>,
): Promise<{ app: ElectronApplication; page: Page }> {
  const app = await launch();
  const page = await app.firstWindow();
  const statusBar = page.getByRole('contentinfo');
  const isShown = await statusBar.waitFor({ state: 'attached', timeout: BLANK_LIMIT }).then(
    () => true,
    () => false,
  );
  if (isShown) return { app, page };
  process.stderr.write(
    `Electron's window stayed blank for ${BLANK_LIMIT / 1000} s; it is started once more\n`,
  );
  app.process().kill('SIGKILL');
  const again = await launch();
  return { app: again, page: await again.firstWindow() };
}
