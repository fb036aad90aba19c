import { describe, expect, test } from 'vitest';
import { type CapabilityRow, capabilityRows, mayHaveCapability, wrongCapabilities } from './capabilities.ts';
import { revisions } from './revisions.ts';

const find = (rows: readonly CapabilityRow[], path: string) => rows.filter((row) => row.path === path);
const paths = (rows: readonly CapabilityRow[]) => rows.map((row) => row.path);

describe('the capability table', () => {
  test.each([
    ['server', '2024-11-05', 'completions', false],
    ['server', '2025-03-26', 'completions', true],
    ['server', '2025-06-18', 'tasks', false],
    ['server', '2025-11-25', 'tasks.requests.tools.call', true],
    ['server', '2026-07-28', 'tasks.requests.tools.call', false],
    ['server', '2026-07-28', 'extensions', true],
    ['client', '2025-03-26', 'elicitation', false],
    ['client', '2025-06-18', 'elicitation', true],
    ['client', '2025-06-18', 'elicitation.url', false],
    ['client', '2025-11-25', 'elicitation.url', true],
    ['client', '2025-11-25', 'roots.listChanged', true],
    ['client', '2026-07-28', 'roots.listChanged', false],
    ['client', '2025-11-25', 'tools', false],
  ] as const)('of a %s of %s: %s is a row: %s', (side, revision, path, isThere) => {
    expect(paths(capabilityRows(side, {}, revision)).includes(path)).toBe(isThere);
  });

  test.each(revisions.map(({ id }) => id))('of %s names each capability once', (revision) => {
    for (const side of ['client', 'server'] as const) {
      const rows = capabilityRows(side, {}, revision);
      expect(new Set(paths(rows)).size).toBe(rows.length);
      expect(rows.every(({ declared, value }) => declared === 'no' && value === undefined)).toBe(true);
    }
  });

  test('of a revision nobody knows has all that ever were', () => {
    expect(paths(capabilityRows('server', {}, '1999-01-01'))).toContain('tasks.list');
  });
});

describe('what is announced', () => {
  test('is shown with its value, and what is above it too', () => {
    const rows = capabilityRows(
      'server',
      { resources: { subscribe: true, listChanged: false } },
      '2025-06-18',
    );
    expect(find(rows, 'resources')).toMatchObject([{ declared: 'yes', since: '2024-11-05' }]);
    expect(find(rows, 'resources.subscribe')).toMatchObject([{ declared: 'yes', value: true }]);
    expect(find(rows, 'resources.listChanged')).toMatchObject([{ declared: 'no', value: false }]);
    expect(find(rows, 'tools')).toMatchObject([{ declared: 'no' }]);
  });

  test('before its revision is shown as not in it', () => {
    const rows = capabilityRows('server', { completions: {}, tasks: { list: {} } }, '2024-11-05');
    for (const path of ['completions', 'tasks', 'tasks.list']) {
      expect(find(rows, path)).toMatchObject([{ declared: 'yes', inRevision: false }]);
    }
    expect(find(rows, 'tasks.cancel')).toEqual([]);
  });

  test.each([true, 'yes', [], null, 7])('with a value of the wrong type is shown with it: %j', (value) => {
    expect(find(capabilityRows('server', { tools: value }, '2025-06-18'), 'tools')).toMatchObject([
      { declared: 'wrong', value, wrong: expect.stringMatching(/, where an object belongs$/) },
    ]);
  });

  test('of the wrong type is named with what it is, of those that the revision has', () => {
    const declared = {
      tools: { listChanged: 'yes' },
      resources: { subscribe: true, listChanged: null },
      prompts: [],
      completions: true,
      tasks: 7,
      'x-own': 'anything',
    };
    expect(wrongCapabilities(declared, '2025-06-18')).toEqual([
      { path: 'tools.listChanged', wrong: 'a text, where true or false belongs' },
      { path: 'resources.listChanged', wrong: 'null, where true or false belongs' },
      { path: 'prompts', wrong: 'an array, where an object belongs' },
      { path: 'completions', wrong: 'true, where an object belongs' },
    ]);
    expect(wrongCapabilities({ tools: {} }, '2025-06-18')).toEqual([]);
  });

  test.each([
    [{ tools: [] }, 'tools', true],
    [{ tools: true }, 'tools', true],
    [{ tools: null }, 'tools', true],
    [{ tools: {} }, 'tools', true],
    [{ tools: undefined }, 'tools', false],
    [{}, 'tools', false],
    [{ resources: { subscribe: false } }, 'resources.subscribe', false],
    [{ resources: { subscribe: 'yes' } }, 'resources.subscribe', true],
    [{ resources: {} }, 'resources.subscribe', false],
    [{ resources: [] }, 'resources.subscribe', true],
    [{ tasks: { list: true } }, 'tasks.list', true],
    [{ tasks: {} }, 'tasks.list', false],
    [null, 'tools', false],
  ] as const)('%j may stand for %s: %s', (capabilities, path, may) => {
    expect(mayHaveCapability(capabilities, path)).toBe(may);
  });

  test('and known to no revision is a row of its own, wherever it stands', () => {
    const declared = {
      teleport: { far: true },
      tools: { listChanged: true, sorting: 'alphabetical' },
      experimental: { 'acme/beam': { up: true } },
      'tools.listChanged': 'not the same',
      constructor: {},
    };
    const rows = capabilityRows('server', declared, '2025-06-18');
    const own = rows.filter(({ since }) => since === null).map(({ path, value }) => [path, value]);
    expect(own).toEqual([
      ['teleport', { far: true }],
      ['tools.sorting', 'alphabetical'],
      ['experimental.acme/beam', { up: true }],
      ['"tools.listChanged"', 'not the same'],
      ['constructor', {}],
    ]);
    expect(find(rows, 'tools.listChanged')[0]).toMatchObject({ value: true, since: '2024-11-05' });
  });

  test('by one side is not mistaken for the other', () => {
    const rows = capabilityRows('client', { tools: {} }, '2025-06-18');
    expect(find(rows, 'tools')).toMatchObject([{ means: 'custom', since: null }]);
  });
});
