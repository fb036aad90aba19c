import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { type Browser, chromium, type Page } from 'playwright/test';
import { z } from 'zod';
import { expect, expectGone, test } from './app.ts';
import { only } from './hosts/only.ts';
import { endOf, projectRoot, showsApp, START_TIME, startInTime, stateOf } from './hosts/host.ts';
import { descendantsOf } from './processes.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const run = promisify(execFile);

/** The packaged app, unpacked in a folder of its own and running. */
interface PackagedApp {
  readonly page: Page;
  readonly pid: number;
  close(): Promise<void>;
}

/** Packs the app as `npm run package` does, and unpacks the archive elsewhere. Gives the path of the program. */
async function packAndUnpack(folder: string): Promise<string> {
  const env = { ...process.env, SIGHTGLASS_PACKAGE_OUT: join(folder, 'release') };
  await run(process.execPath, [join(projectRoot, 'scripts/package.ts')], { env });
  const archive = (await readdir(join(folder, 'release'))).find((name) => name.endsWith('.tar.gz'));
  if (archive === undefined) throw new Error('no archive was made');
  const elsewhere = join(folder, 'elsewhere');
  await mkdir(elsewhere);
  await run('tar', ['-xzf', join(folder, 'release', archive), '-C', elsewhere]);
  // Nothing may be taken from where it was packed.
  await rm(join(folder, 'release'), { recursive: true });
  const app = join(elsewhere, archive.replace(/\.tar\.gz$/, ''));
  const programs: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
    darwin: 'Sightglass.app/Contents/MacOS/Sightglass',
    win32: 'Sightglass.exe',
  };
  return join(app, programs[process.platform] ?? 'sightglass');
}

const DEBUGGER = /DevTools listening on (ws:\/\/\S+)/;

/** Starts the app and drives its page by Chromium's debugger: Node's, which Playwright uses for Electron, is shut. */
async function start(program: string, home: string, ...args: readonly string[]): Promise<PackagedApp> {
  const child = spawn(
    program,
    [
      '--remote-debugging-port=0',
      '--disable-gpu',
      // Electron does not run as root in its sandbox.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...args,
    ],
    { cwd: tmpdir(), env: { ...process.env, SIGHTGLASS_HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const printed = { text: '' };
  const ended = endOf(child);
  const show = async (): Promise<{ browser: Browser; page: Page }> => {
    const address = await debuggerOf(child, printed);
    await expectLoaded(address);
    const browser = await chromium.connectOverCDP(address);
    const [context] = browser.contexts();
    if (context === undefined) throw new Error('the app has no context of pages');
    const page = context.pages()[0] ?? (await context.waitForEvent('page'));
    await showsApp(page);
    return { browser, page };
  };
  const known = () => stateOf(child, printed.text);
  const { browser, page } = await startInTime(show(), { child, ended, known, time: 45_000 });
  return {
    page,
    pid: child.pid ?? -1,
    async close() {
      const children = descendantsOf(child.pid ?? -1);
      await browser.close();
      child.kill('SIGTERM');
      await ended;
      await expectGone(children);
    },
  };
}

function debuggerOf(child: ChildProcess, printed: { text: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (more: string) => {
        printed.text += more;
        const address = DEBUGGER.exec(printed.text)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}:\n${printed.text}`)));
  });
}

/** Waits for the page, whose title comes with it: a debugger attached to one that is about to load is never answered. */
async function expectLoaded(address: string): Promise<void> {
  const list = new URL('/json/list', address.replace(/^ws/, 'http'));
  const titles = async () => {
    const targets = z.array(z.object({ title: z.string() })).parse(await (await fetch(list)).json());
    return targets.map(({ title }) => title);
  };
  await expect.poll(titles, { timeout: START_TIME }).toEqual(['Sightglass']);
}

test.describe('the packaged app', only.electron, () => {
  let folder = '';
  let program = '';

  test.beforeAll(async () => {
    // Compressing takes most of it.
    test.setTimeout(300_000);
    folder = await mkdtemp(join(tmpdir(), 'sightglass-packaged-'));
    program = await packAndUnpack(folder);
  });

  test.afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test('has its fuses set: no Node by environment or arguments, no app but its own', async () => {
    const wire = await getCurrentFuseWire(program);
    const isOn = (fuse: FuseV1Options) => String.fromCharCode(wire[fuse] ?? 0) === '1';
    expect({
      runAsNode: isOn(FuseV1Options.RunAsNode),
      nodeOptions: isOn(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
      inspectArguments: isOn(FuseV1Options.EnableNodeCliInspectArguments),
      onlyAppFromAsar: isOn(FuseV1Options.OnlyLoadAppFromAsar),
      asarIntegrity: isOn(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
      cookieEncryption: isOn(FuseV1Options.EnableCookieEncryption),
      fileProtocolPrivileges: isOn(FuseV1Options.GrantFileProtocolExtraPrivileges),
    }).toEqual({
      runAsNode: false,
      nodeOptions: false,
      inspectArguments: false,
      onlyAppFromAsar: true,
      asarIntegrity: true,
      cookieEncryption: true,
      fileProtocolPrivileges: false,
    });
  });

  test('connects to the demo server, and opens the recorded trace when it is given as an argument', async () => {
    const home = join(folder, 'home');
    const first = await start(program, home);
    let rows = 0;
    try {
      const window = new Window(first.page);
      await first.page.getByRole('button', { name: 'Try the demo server' }).click();
      await window.expectPhase('ready');
      const tools = new ToolsPane(window);
      await tools.call('echo', { message: 'from the package' });
      await tools.expectOutcome('ok');
      await first.page.getByRole('button', { name: 'Disconnect' }).click();
      await window.expectPhase('closed');
      await expect(window.trace.rows('phase', 'closed')).toHaveCount(1);
      rows = await window.trace.count();
    } finally {
      await first.close();
    }

    const [name] = (await readdir(join(home, 'traces'))).filter((file) => file.endsWith('.mcptrace'));
    const second = await start(program, home, join(home, 'traces', name ?? 'none'));
    try {
      const window = new Window(second.page);
      await expect(window.status).toContainText('recorded');
      await window.trace.expectCount(rows);
    } finally {
      await second.close();
    }
  });
});
