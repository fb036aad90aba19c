import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startApp, type StartedApp } from '#fixtures/cli/started-app.ts';
import { type Answer, ElectronDownload, sendsAll } from '#fixtures/electron/download.ts';
import { appRoot } from '../app-root.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-first-'));
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** This app with an `electron` package of its own, whose binary is missing and is downloaded from our stand-in. */
async function prepare(answer: Answer, checksum?: string) {
  const download = await ElectronDownload.open(answer);
  onTestFinished(() => download.close());
  await download.package(folder, checksum);
  for (const name of ['main', 'shared', 'package.json'])
    await symlink(join(appRoot, name), join(folder, name));
  for (const name of await readdir(join(appRoot, 'node_modules'))) {
    // What the package brought along is there already.
    await symlink(join(appRoot, 'node_modules', name), join(folder, 'node_modules', name)).catch(
      () => undefined,
    );
  }
  const start = (env: Record<string, string> = {}, args: readonly string[] = []): StartedApp => {
    const linked = ['--preserve-symlinks', '--preserve-symlinks-main', 'main/hosts/cli/index.ts'];
    const own = { DISPLAY: ':0', ELECTRON_LOG: join(folder, 'told'), ...download.env(folder) };
    return startApp(folder, [...linked, ...args], { cwd: folder, env: { ...own, ...env } });
  };
  return { download, start };
}

const ADDRESS = /open http:\/\/127\.0\.0\.1:/;

/** A browser that is closed without showing anything, so that the address is printed at the end. */
async function installBrowser(): Promise<string> {
  const path = join(folder, 'chromium');
  await writeFile(path, `#!/bin/sh\n: >'${join(folder, 'window')}'\nexit 3\n`);
  await chmod(path, 0o755);
  return path;
}

/** Waits until the app is served, and ends it. */
async function served({ child, printed, exitCode }: StartedApp): Promise<string> {
  await vi.waitUntil(() => ADDRESS.test(printed()), { timeout: 60_000 });
  child.kill('SIGTERM');
  expect(await exitCode).toBe(0);
  return printed();
}

describe.skipIf(process.platform !== 'linux')('the first start with a display', () => {
  test('downloads Electron with its own installer, says so, and opens it; the next one opens it at once', async () => {
    // The second half comes once the progress of the first was printed.
    let sendRest = () => {};
    const { download, start } = await prepare((response, zip) => {
      response.writeHead(200, { 'content-length': zip.length }).write(zip.subarray(0, zip.length / 2));
      sendRest = () => response.end(zip.subarray(zip.length / 2));
    });
    const first = start();
    const progress = /sightglass: Electron 45\.\S+: downloading, .+ so far\n/;
    await vi.waitUntil(() => progress.test(first.printed()), { timeout: 60_000 });
    sendRest();
    expect(await first.exitCode).toBe(0);
    expect(first.printed()).toMatch(
      /^sightglass: Electron 45\.\S+ is not installed yet: downloading it, once \(.+\)\n/,
    );
    const reported = () => readFile(join(folder, 'told'), 'utf8');
    expect(await reported()).toContain(folder);
    await rm(join(folder, 'told'));
    const second = start();
    expect(await second.exitCode).toBe(0);
    expect(second.printed()).toBe('');
    expect(await reported()).toContain(folder);
    expect(download.requests).toBe(1);
  });

  test.each<[string, Answer, string | undefined, string, RegExp]>([
    ['is refused', (response) => response.writeHead(403).end(), undefined, '60s', /Response code 403/],
    ['has a wrong checksum', sendsAll, '0'.repeat(64), '60s', /did not match expected checksum/],
    [
      'goes silent',
      (response, zip) => response.writeHead(200).write(zip.subarray(0, 1000)),
      undefined,
      '4s',
      /no byte came for 4 s/,
    ],
  ])(
    'opens a browser window, with one line, when the download %s',
    async (_, answer, checksum, timeout, why) => {
      const { download, start } = await prepare(answer, checksum);
      const browser = await installBrowser();
      const printed = await served(start({ SIGHTGLASS_DOWNLOAD_TIMEOUT: timeout }));
      expect(download.requests).toBe(1);
      expect(await readdir(folder)).toContain('window');
      const [line, ...others] = printed.split('\n').filter((one) => one.includes('could not be downloaded'));
      expect(others).toEqual([]);
      expect(line).toMatch(why);
      expect(line).toMatch(/^sightglass: Electron could not be downloaded \(.+\); opening a window of /);
      expect(line).toContain(browser);
      expect(printed).not.toContain('    at ');
    },
  );

  test.each([
    ['SIGHTGLASS_NO_DOWNLOAD', { SIGHTGLASS_NO_DOWNLOAD: '1' }, /while SIGHTGLASS_NO_DOWNLOAD is set/],
    ['CI', { CI: 'true' }, /while CI is set/],
    ['no display', { DISPLAY: '' }, /there is no display here/],
  ])('asks for nothing with %s', async (_, env, why) => {
    const { download, start } = await prepare(sendsAll);
    expect(await served(start(env))).toMatch(why);
    expect(download.requests).toBe(0);
  });

  test('asks for nothing where the app is only served', async () => {
    const { download, start } = await prepare(sendsAll);
    await served(start({}, ['--web']));
    await served(start({}, ['--confirm-in-terminal']));
    expect(download.requests).toBe(0);
  });

  test('is ended by Ctrl-C while it downloads', async () => {
    const { download, start } = await prepare(() => undefined);
    const run = start();
    await vi.waitUntil(() => download.requests > 0, { timeout: 60_000 });
    run.child.kill('SIGINT');
    expect(await run.exitCode).toBe(130);
    const left = await readdir(join(folder, 'node_modules', 'electron'));
    expect(left.filter((name) => name === 'dist' || name.startsWith('.'))).toEqual([]);
  });
});
