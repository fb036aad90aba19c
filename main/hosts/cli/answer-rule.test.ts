import { describe, expect, test } from 'vitest';
import { inboxMethods } from '#shared/contract/inbox.ts';
import { questionNameOf, readAnswerRule } from './answer-rule.ts';
import { UsageError } from './exit-codes.ts';

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
    ['elicitation=@/no/such/file', 'cannot be read'],
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
