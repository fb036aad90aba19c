import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { MachineBrowser } from './browser.ts';
import {
  type AppHost,
  endOf,
  projectRoot,
  type RunningApp,
  showsApp,
  START_TIME,
  startInTime,
  type StartSettings,
  stateOf,
} from './host.ts';

const ADDRESS = /open (http:\/\/127\.0\.0\.1:\d+\/#token=\S+)/;

/** The app behind its loopback page, in a Chromium of this machine. */
export class WebApps implements AppHost {
  readonly #browser = new MachineBrowser();

  async start({ home, command, launch, beforeLoad }: StartSettings): Promise<RunningApp> {
    const target = command.length > 0 ? ['--', ...command] : [];
    const child = spawn(
      process.execPath,
      [join(projectRoot, 'dist/main/cli.js'), 'open', '--web', ...target],
      {
        cwd: projectRoot,
        env: { ...process.env, ...launch.env, SIGHTGLASS_HOME: home },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const printed = recordOutput(child);
    const ended = endOf(child);
    const show = async () => {
      const address = await addressOf(child, printed);
      const context = await (await this.#browser.open()).newContext({
        viewport: { width: 1440, height: 900 },
      });
      const page = await context.newPage();
      await beforeLoad(page);
      await page.goto(address, { timeout: START_TIME });
      await showsApp(page);
      return { address, context, page };
    };
    const known = () => stateOf(child, printed.text());
    const { address, context, page } = await startInTime(show(), { child, ended, known });
    return {
      page,
      enginePid: child.pid ?? -1,
      address,
      ended,
      output: printed.text,
      async close() {
        await context.close();
        child.kill('SIGTERM');
        await ended;
      },
    };
  }

  async end(): Promise<void> {
    await this.#browser.close();
  }
}

interface Printed {
  readonly text: () => string;
  onMore(look: () => void): void;
}

function recordOutput(child: ChildProcess): Printed {
  let text = '';
  const looks: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      for (const look of looks) look();
    });
  }
  child.once('exit', (code, signal) => (text += `[ended: ${signal ?? code}]\n`));
  return { text: () => text, onMore: (look) => looks.push(look) };
}

function addressOf(child: ChildProcess, printed: Printed): Promise<string> {
  return new Promise((resolve, reject) => {
    printed.onMore(() => {
      const address = ADDRESS.exec(printed.text())?.[1];
      if (address) resolve(address);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The web host ended before it served:\n${printed.text()}`)));
  });
}
