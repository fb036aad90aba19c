import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Answer, ElectronDownload, sendsAll } from '#fixtures/electron/download.ts';
import { findElectron, installElectron, type InstallSettings, type Progress } from './install-electron.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-install-'));
  return () => rm(folder, { recursive: true, force: true });
});

/** The installer of the `electron` package, against a download of ours. */
async function prepare(answer: Answer, checksum?: string) {
  const download = await ElectronDownload.open(answer);
  onTestFinished(() => download.close());
  const packageFolder = await download.package(folder, checksum);
  const progress: Progress[] = [];
  const run = (settings: Partial<InstallSettings> = {}) =>
    installElectron({
      packageFolder,
      env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: undefined, HOME: folder, ...download.env(folder) },
      silence: 60_000,
      interruption: new AbortController().signal,
      onProgress: (one) => progress.push(one),
      ...settings,
    });
  return { download, packageFolder, progress, run };
}

/** Nothing is left that the next start could take for a binary, or that nobody would ever remove. */
async function expectNothingLeft(packageFolder: string) {
  expect(findElectron(packageFolder)).toBeNull();
  expect((await readdir(packageFolder)).toSorted()).toEqual([
    'checksums.json',
    'index.js',
    'install.js',
    'package.json',
  ]);
}

/** A clock that goes on only when a test says so. */
function clock() {
  let time = 0;
  return {
    now: () => time,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test('a download that works is checked, unpacked and found', async () => {
  const { download, packageFolder, run } = await prepare(sendsAll);
  expect(findElectron(packageFolder)).toBeNull();
  expect(await run()).toBeNull();
  expect(download.requests).toBe(1);
  expect(findElectron(packageFolder)).toBe(join(packageFolder, 'dist', 'electron'));
  expect(await readFile(join(packageFolder, 'dist', 'version'), 'utf8')).toBe('45.0.0');
  expect((await readdir(packageFolder)).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a slow one is waited for as long as bytes come, with its progress', async () => {
  const { now, pass } = clock();
  let sendNext = (): void => undefined;
  const { packageFolder, progress, run } = await prepare((response, zip) => {
    response.writeHead(200, { 'content-length': zip.length });
    let sent = 0;
    sendNext = () => {
      const piece = zip.subarray(sent, sent + 50_000);
      sent += piece.length;
      if (sent < zip.length) response.write(piece);
      else response.end(piece);
    };
    sendNext();
  });
  const outcome = run({
    silence: 10_000,
    now,
    onProgress: (one) => {
      progress.push(one);
      // Each piece comes when the download would soon have been given up.
      pass(9000);
      if (one.step === 'downloading') sendNext();
    },
  });
  expect(await outcome).toBeNull();
  expect(findElectron(packageFolder)).not.toBeNull();
  const downloaded = progress.filter(({ step }) => step === 'downloading').map(({ bytes }) => bytes);
  expect(downloaded.length).toBeGreaterThan(3);
  expect(downloaded).toEqual([...downloaded].toSorted((a, b) => a - b));
});

test.each<[string, Answer, number]>([
  [
    'goes silent in the middle',
    (response, zip) =>
      response.writeHead(200, { 'content-length': zip.length }).write(zip.subarray(0, 100_000)),
    100_000,
  ],
  ['never answers', () => undefined, 0],
])('one that %s is given up after 10 s without a byte', async (_, answer, bytes) => {
  const { now, pass } = clock();
  const { download, packageFolder, progress, run } = await prepare(answer);
  const outcome = run({ silence: 10_000, now });
  await expect.poll(() => download.requests, { timeout: 60_000 }).toBe(1);
  if (bytes > 0) await expect.poll(() => progress.at(-1)?.bytes, { timeout: 60_000 }).toBe(bytes);
  pass(10_000);
  expect(await outcome).toBe('no byte came for 10 s');
  await expectNothingLeft(packageFolder);
});

test.each<[string, Answer, RegExp]>([
  ['refused', (response) => response.writeHead(403).end('no'), /^HTTPError: Response code 403 \(Forbidden\)/],
  [
    'cut',
    (response, zip) =>
      response
        .writeHead(200, { 'content-length': zip.length })
        .write(zip.subarray(0, 10), () => response.destroy()),
    /Error/,
  ],
])('one that is %s is told by what the installer said', async (_, answer, why) => {
  const { packageFolder, run } = await prepare(answer);
  expect(await run()).toMatch(why);
  await expectNothingLeft(packageFolder);
});

test('an installer without a listener is reported', async () => {
  const { download, packageFolder, run } = await prepare(sendsAll);
  const env = { ...process.env, ...download.env(folder), ELECTRON_MIRROR: 'http://127.0.0.1:1/' };
  expect(await run({ env })).toMatch(/fetch failed/);
  await expectNothingLeft(packageFolder);
});

test('one with a wrong checksum is told, and nothing of it is unpacked or kept', async () => {
  const { packageFolder, run } = await prepare(sendsAll, '0'.repeat(64));
  expect(await run()).toMatch(/^Error: .*did not match expected checksum/);
  await expectNothingLeft(packageFolder);
  expect(existsSync(join(folder, 'cache'))).toBe(false);
});

test('asked to end, it ends its installer and leaves nothing', async () => {
  const interruption = new AbortController();
  const { download, packageFolder, run } = await prepare(() => undefined);
  const outcome = run({ interruption: interruption.signal });
  await expect.poll(() => download.requests, { timeout: 60_000 }).toBe(1);
  interruption.abort();
  expect(await outcome).toBe('interrupted');
  await expectNothingLeft(packageFolder);
});

test('half a binary of an installer that was killed is not taken for one, and is replaced', async () => {
  const { packageFolder, run } = await prepare(sendsAll);
  const dist = join(packageFolder, 'dist');
  await mkdir(dist);
  await writeFile(join(dist, 'electron'), 'half of');
  // What our own start left when the machine went down.
  await mkdir(join(packageFolder, '.installing-999999999-x'));
  expect(findElectron(packageFolder)).toBeNull();
  expect(await run()).toBeNull();
  expect(await readFile(join(dist, 'electron'), 'utf8')).toMatch(/^#!\/bin\/sh/);
  expect(findElectron(packageFolder)).toBe(join(dist, 'electron'));
  expect((await readdir(packageFolder)).filter((name) => name.startsWith('.'))).toEqual([]);
});
