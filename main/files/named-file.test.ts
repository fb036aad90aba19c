import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { readNamedText, readNamedTextSync, readStream } from './named-file.ts';

let folder: string;
let socket: Server;
const path = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-files-'));
  socket = createServer().listen(path('socket'));
});
afterAll(async () => {
  socket.close();
  await rm(folder, { recursive: true, force: true });
});

const whatOf = (error: unknown): string =>
  error instanceof FaultError ? `${error.fault.what} ${error.fault.next}` : String(error);

/** The text that both readers give, or their message; both have to agree. */
async function outcomeOf(file: string): Promise<string> {
  const outcome = await readNamedText(file, 'lock file').then((text) => `read: ${text}`, whatOf);
  let atOnce: string;
  try {
    atOnce = `read: ${readNamedTextSync(file, 'lock file')}`;
  } catch (error) {
    atOnce = whatOf(error);
  }
  expect(atOnce).toBe(outcome);
  return outcome;
}

describe.skipIf(process.platform === 'win32')('what cannot be read is said at once', () => {
  test.for<[kind: string, make: (at: string) => unknown, says: RegExp]>([
    ['a pipe', (at) => execFileSync('mkfifo', [at]), /is a pipe \(FIFO\).*not a lock file.* to a file/],
    ['a link to a pipe', (at) => symlink(path('a pipe'), at), /is a pipe/],
    ['a device', (at) => symlink('/dev/zero', at), /is a device.*not a lock file/],
    ['a device that is empty', (at) => symlink('/dev/null', at), /is a device/],
    ['a socket', (at) => symlink(path('socket'), at), /is a socket/],
    ['a folder', (at) => mkdir(at), /is a folder, not a lock file\. Name a file in it/],
    ['a link to itself', (at) => symlink(at, at), /is a link that leads back to itself/],
    ['a link to nothing', (at) => symlink('/no/such', at), /is a link to \/no\/such, which does not exist/],
    ['nothing', () => undefined, /There is no file .*nothing\. Check its name/],
    ['an empty file', (at) => writeFile(at, ''), /an empty file is empty\./],
    [
      '2 GB',
      async (at) => {
        await writeFile(at, '');
        await truncate(at, 2 * 1024 ** 3);
      },
      /too large: a lock file may have 64\.0 MB, and it has 2\.1 GB/,
    ],
    ['a bomb', (at) => writeFile(at, gzipSync(Buffer.alloc(80 * 1024 ** 2))), /too large.*packed with gzip/],
    ['torn gzip', (at) => writeFile(at, gzipSync('{"a": 1}').subarray(0, 14)), /cannot be unpacked/],
    ['no text', (at) => writeFile(at, Buffer.from([1, 2, 0, 3, 255])), /is not a lock file.* no text/],
    ['Windows-1252', (at) => writeFile(at, Buffer.from([0x63, 0xe9, 0x0a])), /not UTF-8/],
  ])('%s', async ([kind, make, says]) => {
    await make(path(kind));
    expect(await outcomeOf(path(kind))).toMatch(says);
  });

  test('a name that no file can have', async () => {
    expect(await outcomeOf(path('x'.repeat(300)))).toMatch(
      /x… \(\d+ characters\) is longer than this system allows/,
    );
    expect(await outcomeOf(path('a\0b'))).toMatch(/a\\0b has a NUL character/);
    await writeFile(path('file'), 'x');
    expect(await outcomeOf(path('file/below'))).toMatch(/There is no file/);
  });
});

test.for<[name: string, encode: (text: string) => Uint8Array]>([
  ['UTF-8', (text) => Buffer.from(text)],
  ['UTF-8 with a mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 LE', (text) => Buffer.from(text, 'utf16le')],
  ['UTF-16 LE with a mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 BE', (text) => Buffer.from(text, 'utf16le').swap16()],
  ['UTF-16 BE with a mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['gzip', (text) => gzipSync(text)],
  ['gzip of UTF-16 with a mark', (text) => gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le'))],
])('a text in %s is read', async ([name, encode]) => {
  const text = '{"a": "é and 😀", "b": 1}\n';
  await writeFile(path(name), encode(text));
  expect(await outcomeOf(path(name))).toBe(`read: ${text}`);
});

test.skipIf(process.platform === 'win32')('a file that grows while it is read has a limit', async () => {
  await writeFile(path('grows'), 'x');
  const writes = setInterval(() => appendFileSync(path('grows'), Buffer.alloc(8 * 1024 ** 2, 'x')), 0);
  try {
    // The limit of a file of faults.
    for (;;) {
      const said = await readNamedText(path('grows'), 'file of faults').catch(whatOf);
      if (said.includes('too large')) break;
      expect(said.length).toBeLessThanOrEqual(1_000_000);
    }
  } finally {
    clearInterval(writes);
  }
});

test('standard input has the same limit', async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1024 ** 2, 'x');
    })(),
  );
  await expect(readStream('Standard input', endless, 'configuration')).rejects.toThrow(/too large/);
  const bytes = await readStream('Standard input', Readable.from([gzipSync('{}')]), 'configuration');
  expect(bytes.toString()).toBe('{}');
});
