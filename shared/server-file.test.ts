import { expect, test } from 'vitest';
import { commandOfFile } from './server-file.ts';

test.each([
  ['/home/me/server.py', ['python3', '/home/me/server.py'], '/home/me'],
  ['/srv/dist/index.JS', ['node', '/srv/dist/index.JS'], '/srv/dist'],
  ['server.mjs', ['node', 'server.mjs'], null],
  ['../src/server.ts', ['node', '../src/server.ts'], null],
  ['/opt/a b/server.jar', ['java', '-jar', '/opt/a b/server.jar'], '/opt/a b'],
  ['/s/Server.csproj', ['dotnet', 'run', '--project', '/s/Server.csproj'], '/s'],
  ['/server.rb', ['ruby', '/server.rb'], '/'],
])('%s is run by the program of its suffix, in its folder', (path, words, cwd) => {
  expect(commandOfFile(path)).toEqual({ words, cwd });
});

test('on Windows, Python has another name and paths have backslashes', () => {
  expect(commandOfFile(String.raw`C:\servers\notes.py`, { isWindows: true })).toEqual({
    words: ['python', String.raw`C:\servers\notes.py`],
    cwd: String.raw`C:\servers`,
  });
});

test.each(['/usr/bin/server', 'npx', '/etc/.bashrc', 'a.b/server', 'server.exe'])(
  '%s is a program',
  (path) => {
    expect(commandOfFile(path)).toBeNull();
  },
);
