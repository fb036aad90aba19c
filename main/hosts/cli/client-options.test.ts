import { describe, expect, test } from 'vitest';
import { inboxMethods } from '#shared/contract/inbox.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';
import { clientOptionsSchema, readClient, questionNameOf, readAnswerRule } from './client-options.ts';
import { UsageError } from './exit.ts';

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

describe('an answer', () => {
  test.each([
    ['elicitation=defaults', 'elicitation/create', { kind: 'defaults' }],
    ['elicitation=decline', 'elicitation/create', { kind: 'decline' }],
    ['sampling=cancel', 'sampling/createMessage', { kind: 'cancel' }],
    [
      'roots=error:-32603:No disk: gone',
      'roots/list',
      { kind: 'error', code: -32603, message: 'No disk: gone' },
    ],
    ['sampling={"n": 1.0, "n": 2}', 'sampling/createMessage', { kind: 'result', json: '{"n": 1.0, "n": 2}' }],
  ])('%s', (text, method, answer) => {
    expect(readAnswerRule(text, 5)).toEqual({ method, answer, delay: 5 });
  });

  test.each([
    ['elicitation', 'QUESTION=ANSWER'],
    ['=decline', 'QUESTION=ANSWER'],
    ['ping={}', 'sampling, elicitation, roots'],
    ['elicitation=maybe', 'JSON'],
    ['elicitation=[]', 'JSON object'],
    ['elicitation=@/no/such/file', 'There is no file'],
    ['sampling=defaults', 'nothing follows'],
    ['sampling=error:soon', 'error:CODE:MESSAGE'],
    ['sampling=error:1.5:x', 'error:CODE:MESSAGE'],
    ['sampling=error:-1:', 'error:CODE:MESSAGE'],
  ])('%s is a mistake', (text, why) => {
    expect(() => readAnswerRule(text, 0)).toThrow(UsageError);
    expect(() => readAnswerRule(text, 0)).toThrow(why);
  });
});

test.each(inboxMethods)('whatever a server asks has a name in options, such as %s', (method) => {
  const name = questionNameOf(method);
  expect(readAnswerRule(`${name}=decline`, 0)).toMatchObject({ method });
});
