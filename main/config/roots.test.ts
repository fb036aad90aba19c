import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RootState } from '#shared/contract/roots.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  noKeepAlive,
  plainHttpSettings,
  type Server,
} from '#shared/contract/servers.ts';
import { checkRoot, RootWatch } from './roots.ts';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'sightglass-roots-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;

describe('the state of a root', () => {
  test('is a folder, with its path decoded', async () => {
    await mkdir(join(folder, 'my work'));
    const uri = uriOf('my work');
    const path = join(folder, 'my work');
    expect(uri).toContain('my%20work');
    expect(await checkRoot(uri)).toEqual({ uri, condition: 'folder', path, realPath: path });
  });

  test('tells where a symbolic link leads', async () => {
    await mkdir(join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, 'link'));
    expect(await checkRoot(uriOf('link'))).toMatchObject({
      condition: 'folder',
      path: join(folder, 'link'),
      realPath: join(folder, 'real'),
    });
  });

  test('is missing if nothing is there, also below a file and behind a dangling link', async () => {
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'gone'), join(folder, 'dangling'));
    for (const name of ['gone', 'file/below', 'dangling']) {
      expect(await checkRoot(uriOf(name))).toMatchObject({ condition: 'missing', realPath: null });
    }
  });

  test('is not a folder but a file, also by a symbolic link', async () => {
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'file'), join(folder, 'link'));
    for (const name of ['file', 'link']) {
      expect(await checkRoot(uriOf(name))).toMatchObject({
        condition: 'not-a-folder',
        realPath: join(folder, 'file'),
      });
    }
  });

  test('cannot be read if its links go round in a circle', async () => {
    await symlink(join(folder, 'b'), join(folder, 'a'));
    await symlink(join(folder, 'a'), join(folder, 'b'));
    expect(await checkRoot(uriOf('a'))).toMatchObject({ condition: 'unreadable', realPath: null });
  });

  test.each(['a/../b', 'a/%2e%2E/b', 'a/.%2e', String.raw`a\..\b`])(
    'has a parent segment, which a URL would hide: %s',
    async (name) => {
      await mkdir(join(folder, 'b'));
      const uri = `${pathToFileURL(folder).href}/${name}`;
      expect(await checkRoot(uri)).toMatchObject({ uri, condition: 'parent-segment' });
    },
  );

  test('does not take two dots within a name for a parent segment', async () => {
    await mkdir(join(folder, 'a..b'));
    expect(await checkRoot(uriOf('a..b'))).toMatchObject({ condition: 'folder' });
  });

  test.each([
    'https://example.com/',
    '/home/me',
    'file:relative',
    'file://another-host/share',
    'file:///%zz',
    'file:///a%2fb',
    '',
  ])('is not that of a file URI of this machine: %s', async (uri) => {
    expect(await checkRoot(uri)).toEqual({ uri, condition: 'not-a-file-uri', path: null, realPath: null });
  });
});

const serverWith = (...uris: string[]): Server => ({
  id: 'one',
  source: 'user',
  name: 'one',
  transport: plainHttpSettings('http://127.0.0.1/'),
  era: 'auto',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client: { ...defaultClientProfile, roots: uris.map((uri) => ({ uri, name: null })) },
  notes: '',
});

describe('a watch', () => {
  const watch = () => {
    const onChange = vi.fn<(states: RootState[]) => void>();
    const roots = new RootWatch(onChange, 10);
    onTestFinished(() => roots.close());
    const conditions = () => onChange.mock.lastCall?.[0].map(({ condition }) => condition);
    return { roots, onChange, conditions };
  };

  test('reports a folder that vanishes and appears again', async () => {
    const { roots, onChange, conditions } = watch();
    await mkdir(join(folder, 'a'));
    roots.follow([serverWith(uriOf('a'), uriOf('b')), serverWith(uriOf('a'))]);
    expect(await roots.states()).toMatchObject([{ condition: 'folder' }, { condition: 'missing' }]);
    await rm(join(folder, 'a'), { recursive: true });
    await expect.poll(conditions).toEqual(['missing', 'missing']);
    await mkdir(join(folder, 'a'));
    await mkdir(join(folder, 'b'));
    await expect.poll(conditions).toEqual(['folder', 'folder']);
    const count = onChange.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(onChange).toHaveBeenCalledTimes(count);
  });

  test('follows the roots of the servers, and looks at nothing before it is asked', async () => {
    const { roots, onChange, conditions } = watch();
    roots.follow([serverWith(uriOf('a'))]);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(onChange).not.toHaveBeenCalled();
    await roots.states();
    roots.follow([serverWith(pathToFileURL(folder).href)]);
    await expect.poll(conditions).toEqual(['folder']);
    roots.follow([]);
    await expect.poll(conditions).toEqual([]);
  });

  test('reports nothing once it is closed', async () => {
    const { roots, onChange } = watch();
    roots.follow([serverWith(uriOf('a'))]);
    await roots.states();
    roots.close();
    roots.close();
    const count = onChange.mock.calls.length;
    await mkdir(join(folder, 'a'));
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(onChange).toHaveBeenCalledTimes(count);
  });
});
