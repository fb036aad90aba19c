import { expect, test } from 'vitest';
import { serverEnvironment } from './environment.ts';

const own = { PATH: '/bin', HOME: '/home/me', API_KEY: 'secret', SHELL: '() { evil; }' };

test('a server inherits only what every program needs, unless told otherwise', () => {
  expect(serverEnvironment('safe', {}, own, 'linux')).toEqual({ PATH: '/bin', HOME: '/home/me' });
  expect(serverEnvironment('all', {}, own, 'linux')).toEqual(own);
});

test('what the user set stands above what is inherited', () => {
  expect(serverEnvironment('safe', { PATH: '/opt', TOKEN: 't' }, own, 'linux')).toEqual({
    PATH: '/opt',
    HOME: '/home/me',
    TOKEN: 't',
  });
});

test('names are compared without case on Windows', () => {
  expect(
    serverEnvironment('safe', {}, { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Foo: 'x' }, 'win32'),
  ).toEqual({
    Path: 'C:\\bin',
    SystemRoot: 'C:\\Windows',
  });
});

test('on Windows, where case does not count in names, what the user set stands alone', () => {
  const inherited = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' };
  expect(serverEnvironment('safe', { path: 'D:\\tools' }, inherited, 'win32')).toEqual({
    SystemRoot: 'C:\\Windows',
    path: 'D:\\tools',
  });
});
