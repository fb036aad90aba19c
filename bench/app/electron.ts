import { once } from 'node:events';
import { _electron, type ElectronApplication } from 'playwright';
import { findElectron } from '#scripts/electron-binary.ts';
import { projectRoot } from '#scripts/step.ts';
import type { App, Engine, Host, Opened } from './app.ts';
import { AppPage } from './page.ts';

/** The app in Electron. */
export class ElectronHost implements Host {
  readonly name = 'electron';

  async start(opened: Opened, home: string): Promise<App> {
    // Without a binary the package `electron` would fetch one.
    if (!findElectron())
      throw new Error('No Electron binary: npx install-electron, or ELECTRON_OVERRIDE_DIST_PATH');
    const startedAt = performance.now();
    const app = await _electron.launch({
      args: [projectRoot, ...(opened.kind === 'command' ? ['--', opened.command, ...opened.args] : [])],
      cwd: projectRoot,
      env: {
        ...withoutUndefined(process.env),
        SIGHTGLASS_HOME: home,
        ...(opened.kind === 'url' && {
          SIGHTGLASS_OPEN: JSON.stringify({ kind: 'http', url: opened.url }),
        }),
      },
      // Electron does not run as root in its sandbox.
      chromiumSandbox: process.getuid?.() !== 0,
    });
    const child = app.process();
    const close = async () => {
      await app.close();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    try {
      const page = await AppPage.shown(await app.firstWindow());
      const startTime = performance.now() - startedAt;
      return { page, home, startTime, engine: engineOf(app, child.pid ?? -1), close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  async end(): Promise<void> {}
}

const withoutUndefined = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** The engine runs in Electron's main process, whose loop tells itself how late it was. */
function engineOf(app: ElectronApplication, pid: number): Engine {
  return {
    pid,
    async longestStall(work) {
      const delays = await app.evaluateHandle(() => {
        const found = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
        found.enable();
        return found;
      });
      const result = await work();
      const stall = await delays.evaluate((found) => found.max / 1e6);
      await delays.dispose();
      return { result, stall };
    },
  };
}
