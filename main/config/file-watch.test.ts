import type * as FileSystem from 'node:fs';
import { mkdir, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileWatch } from './file-watch.ts';

let folder: string;
let watched: FileWatch | null;
const onChange = vi.fn<(files: string[]) => void>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-watch-'));
  watched = null;
  onChange.mockReset();
});
afterEach(async () => {
  watched?.close();
  await rm(folder, { recursive: true, force: true });
});

const at = (...names: string[]): string => join(folder, ...names);

const watch = (path: string, onlyCode = false): Promise<FileWatch> => watchAll([path], { onlyCode });

interface WatchOptions {
  readonly onlyCode?: boolean;
  readonly quietAfter?: number;
  readonly longestAbsence?: number;
}

async function watchAll(
  paths: readonly string[],
  { onlyCode = false, quietAfter = 40, ...options }: WatchOptions = {},
): Promise<FileWatch> {
  watched = await FileWatch.begin({
    paths: paths.map((path) => ({ path, from: 'test', onlyCode })),
    onChange,
    quietAfter,
    ...options,
  });
  return watched;
}

const reported = async (...files: string[]): Promise<void> => {
  await expect.poll(() => onChange.mock.lastCall?.[0]).toEqual(files.toSorted());
};

test('reports a file that is replaced by renaming, each time', async () => {
  await writeFile(at('server.js'), '1');
  await watch(at('server.js'));
  for (const content of ['22', '333']) {
    onChange.mockReset();
    await writeFile(at('other'), content);
    await rename(at('other'), at('server.js'));
    await reported(at('server.js'));
  }
});

test('reports the changes of a build as one, with files and folders that it makes', async () => {
  await writeFile(at('a.js'), '1');
  const watching = await watch(folder, true);
  expect(watching).toMatchObject({ files: 1, notWatched: null });
  await mkdir(at('lib'));
  await writeFile(at('lib', 'b.js'), '1');
  await writeFile(at('a.js'), '22');
  await reported(at('a.js'), at('lib', 'b.js'));
  expect(onChange).toHaveBeenCalledOnce();
  onChange.mockReset();
  await writeFile(at('lib', 'b.js'), '22');
  await reported(at('lib', 'b.js'));
});

test('ignores what a server, an interpreter and a package manager write beside the code', async () => {
  await mkdir(at('node_modules'));
  await mkdir(at('.git'));
  await writeFile(at('a.py'), '1');
  await watch(folder, true);
  for (const path of [
    at('node_modules', 'x.js'),
    at('.git', 'x.js'),
    at('a.pyc'),
    at('data.sqlite'),
    at('server.log'),
  ]) {
    await writeFile(path, 'x');
  }
  await writeFile(at('a.py'), '22');
  await reported(at('a.py'));
  expect(onChange).toHaveBeenCalledOnce();
});

/** Writes a file all the time, until the returned function is called. */
function writeAlways(path: string): () => Promise<void> {
  const end = new AbortController();
  const writing = (async () => {
    while (!end.signal.aborted) {
      await writeFile(path, String(performance.now()));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return () => {
    end.abort();
    return writing;
  };
}

test('reports a change while a file that does not count is written all the time', async () => {
  await writeFile(at('a.py'), '1');
  await writeFile(at('data.txt'), '1');
  await watchAll([folder], { onlyCode: true, quietAfter: 400 });
  const stop = writeAlways(at('data.txt'));
  try {
    await writeFile(at('a.py'), '22');
    await reported(at('a.py'));
  } finally {
    await stop();
  }
});

test('reports a change while a watched file is written all the time', async () => {
  await writeFile(at('a.py'), '1');
  await writeFile(at('b.py'), '1');
  await watchAll([folder], { onlyCode: true, quietAfter: 400 });
  const stop = writeAlways(at('b.py'));
  try {
    await writeFile(at('a.py'), '22');
    await expect.poll(() => onChange.mock.calls.flat(2), { timeout: 10_000 }).toContain(at('a.py'));
  } finally {
    await stop();
  }
}, 15_000);

test('waits for a file that a build removes and writes again', async () => {
  await writeFile(at('server.js'), '1');
  const watching = await watch(at('server.js'));
  await unlink(at('server.js'));
  await expect.poll(() => watching.notWatched).toContain('server.js does not exist yet');
  expect(onChange).not.toHaveBeenCalled();
  await writeFile(at('server.js'), '22');
  await reported(at('server.js'));
});

test('reports each build that removes its whole folder and makes it again, or moves another one in its place', async () => {
  const build = async (folderName: string, content: string): Promise<void> => {
    await mkdir(at(folderName, 'lib'), { recursive: true });
    await writeFile(at(folderName, 'index.js'), content);
    await writeFile(at(folderName, 'lib', 'b.js'), content);
  };
  await build('dist', '1');
  await watchAll([at('dist', 'index.js'), at('dist')], { onlyCode: true });
  const both = [at('dist', 'index.js'), at('dist', 'lib', 'b.js')];
  for (const content of ['22', '333', '4444']) {
    onChange.mockReset();
    await rm(at('dist'), { recursive: true });
    await build('dist', content);
    await reported(...both);
  }
  for (const content of ['55555', '666666']) {
    onChange.mockReset();
    await build('next', content);
    await rename(at('dist'), at(`before ${content}`));
    await rename(at('next'), at('dist'));
    await reported(...both);
  }
  onChange.mockReset();
  await writeFile(at('dist', 'lib', 'b.js'), '7');
  await reported(at('dist', 'lib', 'b.js'));
});

test('the late error of a watcher leaves that of the folder now in its place, which is closed in the end', async () => {
  /** The watchers of the system that were opened and not closed. */
  const open = new Set<FileSystem.FSWatcher>();
  vi.resetModules();
  vi.doMock('node:fs', async (original) => {
    const real = await original<typeof FileSystem>();
    const watchAndKeep = (...args: Parameters<typeof real.watch>): FileSystem.FSWatcher => {
      const watcher = real.watch(...args);
      open.add(watcher);
      return watcher.on('close', () => open.delete(watcher));
    };
    return { ...real, watch: watchAndKeep };
  });
  const { FileWatch: Counted } = await import('./file-watch.ts');
  vi.doUnmock('node:fs');
  await mkdir(at('dist'));
  await writeFile(at('dist', 'a.js'), '1');
  watched = await Counted.begin({
    paths: [{ path: at('dist'), from: 'test', onlyCode: false }],
    onChange,
    quietAfter: 40,
  });
  const [old] = open;
  await rm(at('dist'), { recursive: true });
  await mkdir(at('dist'));
  await writeFile(at('dist', 'a.js'), '22');
  await reported(at('dist', 'a.js'));
  await expect.poll(() => [...open].filter((one) => one !== old).length).toBe(1);
  old?.emit('error', new Error('EPERM'));
  watched.close();
  await expect.poll(() => open.size).toBe(0);
});

test('a path that stays away holds back changes for a while only', async () => {
  await writeFile(at('a.js'), '1');
  await writeFile(at('gone.js'), '1');
  const watching = await watchAll([at('a.js'), at('gone.js')], { longestAbsence: 300 });
  await unlink(at('gone.js'));
  await writeFile(at('a.js'), '22');
  await reported(at('a.js'), at('gone.js'));
  expect(watching.notWatched).toContain('gone.js does not exist yet');
  onChange.mockReset();
  await writeFile(at('a.js'), '333');
  await reported(at('a.js'));
  onChange.mockReset();
  await writeFile(at('gone.js'), '22');
  await reported(at('gone.js'));
});

test('reports changes although another path was never there, and that one once it is', async () => {
  await writeFile(at('a.js'), '1');
  const watching = await watchAll([at('a.js'), at('later.js')]);
  expect(watching.notWatched).toContain('later.js does not exist yet');
  await writeFile(at('a.js'), '22');
  await reported(at('a.js'));
  await writeFile(at('later.js'), '1');
  await reported(at('later.js'));
  expect(watching.notWatched).toBeNull();
});

test('says that folders beyond the limit are not watched', async () => {
  await Promise.all(Array.from({ length: 1001 }, (_, index) => mkdir(at(`folder-${index}`))));
  expect((await watch(folder)).notWatched).toBe('Only the first 1,000 folders are watched.');
});
