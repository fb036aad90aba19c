import { describe, expect, test } from 'vitest';
import { aServer } from '#model/testing/samples.ts';
import {
  type Draft,
  draftOf,
  emptyDraft,
  envDraft,
  looksSecret,
  nameFrom,
  parseEnvLines,
  readDraft,
} from './draft.ts';

const posix = { isWindows: false };
const draft = (part: Partial<Draft> = {}): Draft => ({
  ...emptyDraft(),
  commandLine: 'node server.js',
  ...part,
});
const settings = (part: Partial<Draft> = {}) => {
  const read = readDraft(draft(part), posix);
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  return read.settings;
};
const errors = (part: Partial<Draft>) => {
  const read = readDraft(draft(part), posix);
  return 'errors' in read ? read.errors : {};
};

test('a saved server comes through the form unchanged', () => {
  const {
    id: _,
    source: __,
    ...saved
  } = aServer({
    revision: '1999-01-01',
    notes: 'mine',
    transport: {
      kind: 'stdio',
      command: '/opt/my server',
      args: ['--say', "it's", '', '$HOME'],
      cwd: '/work',
      env: [
        { name: 'TOKEN', value: null, secret: true },
        { name: 'MODE', value: '', secret: false },
      ],
      inherit: 'all',
    },
    timeouts: { initialize: 1500, request: 60_000, requestMax: 600_000 },
  });
  expect(readDraft(draftOf(aServer(saved), posix), posix)).toEqual({ settings: saved });
});

describe('what is wrong is said at its field', () => {
  test.each<[string, Partial<Draft>]>([
    ['commandLine', { commandLine: '  ' }],
    ['commandLine', { commandLine: `node 'a` }],
    ['env.0', { env: [envDraft('A=B', 'x')] }],
    ['env.1', { env: [envDraft(), envDraft('', 'x')] }],
    ['env.1', { env: [envDraft('A', '1'), envDraft('A', '2')] }],
    ['otherRevision', { revisionChoice: 'other', otherRevision: ' ' }],
    ['timeouts.initialize', { timeouts: { initialize: 'soon', request: '60', requestMax: '600' } }],
    ['timeouts.request', { timeouts: { initialize: '60', request: '0', requestMax: '600' } }],
    ['timeouts.requestMax', { timeouts: { initialize: '60', request: '60', requestMax: '' } }],
    ['notes', { notes: 'x'.repeat(10_001) }],
  ])('%s', (place, part) => {
    expect(Object.keys(errors(part))).toEqual([place]);
    expect(errors(part)[place]).toMatch(/^[^a-z].*[.]$/);
  });
});

test('rows of the environment left empty are left out', () => {
  expect(settings({ env: [envDraft(), envDraft('A', '1')] }).transport.env).toEqual([
    { name: 'A', value: '1', secret: false },
  ]);
});

test('any text can be the revision to ask for', () => {
  expect(settings({ revisionChoice: 'other', otherRevision: ' banana ' }).revision).toBe('banana');
  expect(settings({ revisionChoice: '2025-06-18' }).revision).toBe('2025-06-18');
  expect(settings().revision).toBeNull();
});

test('a server may take a minute to answer initialize, unless told otherwise', () => {
  expect(settings().timeouts.initialize).toBe(60_000);
});

test('seconds become milliseconds', () => {
  expect(settings({ timeouts: { initialize: '0.5', request: ' 30', requestMax: '90' } }).timeouts).toEqual({
    initialize: 500,
    request: 30_000,
    requestMax: 90_000,
  });
});

test.each([
  ['npx -y @modelcontextprotocol/server-everything stdio', '@modelcontextprotocol/server-everything'],
  ['node ./packages/notes/dist/index.js', 'notes'],
  ['node server.js', 'server.js'],
  ['uvx --quiet weather-mcp', 'weather-mcp'],
  ['docker run -i --rm ghcr', 'ghcr'],
  ['/usr/local/bin/my-server --x', 'my-server'],
  ['python3 -m', 'python3'],
])('without a name, %j is called %j', (line, name) => {
  expect(settings({ commandLine: line }).name).toBe(name);
  const [command = '', ...args] = line.split(' ');
  expect(nameFrom(command, args)).toBe(name);
});

test('pasted lines of a file become variables', () => {
  expect(parseEnvLines('# my keys\nexport A="x y"\r\nB=a=b\n\nC=\n')).toEqual([
    { name: 'A', value: 'x y' },
    { name: 'B', value: 'a=b' },
    { name: 'C', value: '' },
  ]);
  expect(parseEnvLines('JUST_A_NAME')).toBeNull();
  expect(parseEnvLines('A=1\nnonsense')).toBeNull();
});

test('names that speak of secrets are taken for secrets', () => {
  expect(['API_KEY', 'github_token', 'DB_PASSWORD', 'AUTH'].every(looksSecret)).toBe(true);
  expect(['PATH', 'KEYBOARD', 'AUTHOR', 'MONKEY'].some(looksSecret)).toBe(false);
});
