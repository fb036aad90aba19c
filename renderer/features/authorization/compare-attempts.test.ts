import { describe, expect, test } from 'vitest';
import { aFinding, aFlow, aParameter, aRequest, aStep } from '#fixtures/page/authorization-samples.ts';
import type { AuthorizationStep, StepRequest } from '#shared/contract/authorization.ts';
import { type Attempt, attemptsOf, compareAttempts, countDifferences } from './compare-attempts.ts';

/** A step after another one. */
const after = (before: number | null, change: Partial<AuthorizationStep> = {}) => ({
  after: before,
  ...change,
});

const idsOf = (attempts: readonly Attempt[]) => attempts.map(({ steps }) => steps.map(({ id }) => id));

describe('the attempts of a flow', () => {
  test('one without a branch', () => {
    expect(idsOf(attemptsOf(aFlow([aStep(1, 'challenge'), aStep(2, 'token')])))).toEqual([[1, 2]]);
    expect(attemptsOf(aFlow([]))).toEqual([]);
  });

  test('one for each fork, the oldest first, with the steps before it', () => {
    const flow = aFlow([
      aStep(1, 'authorization-request'),
      aStep(2, 'token'),
      aStep(3, 'authorization-request', after(null, { branch: 1 })),
      aStep(4, 'token', after(3, { branch: 1 })),
      aStep(5, 'token', after(3, { branch: 2, state: 'stopped' })),
    ]);
    expect(idsOf(attemptsOf(flow))).toEqual([
      [1, 2],
      [3, 4],
      [3, 5],
    ]);
    expect(attemptsOf(flow).map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  test('one that was taken back after it had sent something; what was only stopped is no attempt', () => {
    const flow = aFlow([
      aStep(1, 'challenge'),
      aStep(2, 'resource-metadata', { state: 'taken-back', startedAt: 5 }),
      aStep(3, 'server-metadata', { state: 'taken-back' }),
      aStep(4, 'resource-metadata', after(1, { state: 'taken-back' })),
      aStep(5, 'challenge', after(null, { state: 'stopped' })),
    ]);
    expect(idsOf(attemptsOf(flow))).toEqual([[1, 2], [5]]);
  });

  test('a scan for metadata and steps that come later are none', () => {
    const flow = aFlow([
      aStep(1, 'server-metadata', { state: 'failed' }),
      aStep(2, 'server-metadata', after(1, { label: 'scan, OAuth 2.0', branch: 1 })),
      aStep(3, 'token', after(1, { state: 'planned' })),
    ]);
    expect(idsOf(attemptsOf(flow))).toEqual([[1]]);
  });
});

const request = (query: StepRequest['query'], change: Partial<StepRequest> = {}) =>
  aRequest({ query, headers: [], ...change });

/** The rows of one step in two attempts that differ, or are new in each. */
function rowsOf(left: Partial<AuthorizationStep>, right: Partial<AuthorizationStep>) {
  const [step] = compareAttempts(
    { number: 1, steps: [aStep(1, 'authorization-request', left)] },
    { number: 2, steps: [aStep(2, 'authorization-request', right)] },
  );
  return (step?.rows ?? []).filter(({ kind }) => kind !== 'same');
}

describe('two attempts', () => {
  test('have the steps before the fork in common, and others beside each other by name and label', () => {
    const shared = aStep(1, 'challenge');
    const compared = compareAttempts(
      { number: 1, steps: [shared, aStep(2, 'authorization-request'), aStep(3, 'token')] },
      {
        number: 2,
        steps: [
          shared,
          aStep(4, 'authorization-request'),
          aStep(5, 'token', { label: 'with the nonce of the server' }),
          aStep(6, 'token'),
        ],
      },
    );
    expect(compared.map(({ left, right, isShared }) => [left?.id, right?.id, isShared])).toEqual([
      [1, 1, true],
      [2, 4, false],
      [undefined, 5, false],
      [3, 6, false],
    ]);
    expect(countDifferences(compared)).toEqual({ steps: 1, values: 0 });
  });

  test('differ in a value, in what is left out, added, or not sent, and in the URL', () => {
    const rows = rowsOf(
      { request: request([aParameter('scope', 'a'), aParameter('resource', 'r'), aParameter('old', '1')]) },
      {
        request: request(
          [aParameter('scope', 'a b'), aParameter('resource', 'r', { isOn: false }), aParameter('new', '2')],
          { url: 'https://other.example/authorize', method: 'POST' },
        ),
      },
    );
    expect(
      rows.map(({ part, name, left, right }) => [part, name, left?.text, right?.text, right?.isOff]),
    ).toEqual([
      ['request', 'method', 'GET', 'POST', false],
      ['request', 'URL', 'https://login.example.com/authorize', 'https://other.example/authorize', false],
      ['query', 'scope', 'a', 'a b', false],
      ['query', 'resource', 'r', 'r', true],
      ['query', 'old', '1', undefined, undefined],
      ['query', 'new', undefined, '2', false],
    ]);
  });

  test('compare those of the same name in their order, and headers in any case', () => {
    const twice = (second: string) => ({
      request: request([aParameter('resource', 'r'), aParameter('resource', second)], {
        headers: [aParameter(second === 'x' ? 'Accept' : 'accept', 'application/json')],
      }),
    });
    expect(rowsOf(twice('x'), twice('y'))).toMatchObject([
      { name: 'resource', left: { text: 'x' }, right: { text: 'y' } },
    ]);
  });

  test('compare secrets by their fingerprint, and never have their value', () => {
    const secret = (fingerprint: string) => ({
      request: aRequest({
        bodyKind: 'form',
        body: [aParameter('client_secret', null, { fingerprint })],
      }),
    });
    expect(rowsOf(secret('aaaaaa'), secret('aaaaaa'))).toEqual([]);
    expect(rowsOf(secret('aaaaaa'), secret('bbbbbb'))).toMatchObject([
      {
        left: { text: 'aaaaaa', isSecret: true },
        right: { text: 'bbbbbb', isSecret: true },
        kind: 'differs',
      },
    ]);
  });

  test.each(['state', 'code_challenge', 'nonce'])('%s is new in each, unless the user changed it', (name) => {
    const own = request([aParameter(name, 'one')]);
    const other = request([aParameter(name, 'two')]);
    expect(rowsOf({ request: own }, { request: other })).toMatchObject([{ name, kind: 'renewed' }]);
    const edited = { request: other, original: { request: own, assertion: null } };
    expect(rowsOf({ request: own }, edited)).toMatchObject([{ name, kind: 'differs' }]);
    const left = request([]);
    expect(rowsOf({ request: left }, { request: other })).toMatchObject([{ name, kind: 'differs' }]);
  });

  test('differ in the wrong value, the assertion, the status, the outcome and the findings', () => {
    const rows = rowsOf(
      {
        response: { status: 200, headers: [], body: null },
        outcome: 'There is a token.',
        assertion: { audience: 'https://as.example', keyId: null },
      },
      {
        response: { status: 400, headers: [], body: null },
        outcome: 'There is no token.',
        assertion: { audience: 'https://as.example/token', keyId: 'k' },
        wrongValue: 'challenge-missing',
        findings: [aFinding()],
      },
    );
    expect(rows.map(({ name, left, right }) => [name, left?.text ?? null, right?.text ?? null])).toEqual([
      ['aud of the client assertion', 'https://as.example', 'https://as.example/token'],
      ['kid of the client assertion', null, 'k'],
      ['wrong value', null, 'challenge-missing'],
      ['status', '200', '400'],
      ['outcome', 'There is a token.', 'There is no token.'],
      ['findings', null, 'error issuer-differs: Issuer differs only by a trailing slash.'],
    ]);
  });
});
