import { describe, expect, test } from 'vitest';
import { defaultClientProfile } from '#shared/contract/servers.ts';
import { clientOptionsSchema, readClient } from './client-options.ts';

const client = (options: object) => readClient(clientOptionsSchema.parse(options));

describe('what we are to a server', () => {
  test('is as usual when nothing is said', () => {
    expect(client({})).toEqual({});
  });

  test('has the rules that are given before the usual ones', () => {
    const [rule, ...usual] = client({ answer: ['roots=decline'], answerDelay: '2s' }).rules ?? [];
    expect(rule).toEqual({ method: 'roots/list', answer: { kind: 'decline' }, delay: 2000 });
    expect(usual).toEqual(defaultClientProfile.rules);
  });

  test('has roots with and without a name', () => {
    expect(client({ root: ['file:///a', 'file:///b=B = b'] }).roots).toEqual([
      { uri: 'file:///a', name: null },
      { uri: 'file:///b', name: 'B = b' },
    ]);
  });

  test.each([
    ['none', {}],
    ['default', null],
    ['{"roots": {}}', { roots: {} }],
  ])('announces %s', (text, capabilities) => {
    expect(client({ capabilities: text })).toEqual({ capabilities });
  });

  test.each([
    [{ answerDelay: '1s' }, 'none is given'],
    [{ answer: ['roots=decline'], answerDelay: '11m' }, 'at most 10m'],
    [{ answer: ['roots=decline', 'roots=cancel'] }, '--answer roots= is given twice'],
    [{ root: ['=name'] }, '--root wants URI'],
    [{ root: ['https://a/b=name'] }, 'file://'],
    [{ capabilities: '[]' }, '--capabilities wants a JSON object'],
  ])('%j is a mistake', (options, why) => {
    expect(() => client(options)).toThrow(why);
  });
});
