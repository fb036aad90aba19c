import { describe, expect, test } from 'vitest';
import { aFlow, aStep, steppedUpFlow } from '#fixtures/page/authorization-samples.ts';
import { countsOf, lanesOf, lineName, linesOf } from './flow-lines.ts';

const numbersOf = (flow: Parameters<typeof linesOf>[0]) =>
  linesOf(flow).map(({ number, label }) => `${number} ${label}`.trim());

describe('the lines of a flow', () => {
  test('a branch that the flow left is beside the step that replaced it', () => {
    expect(numbersOf(steppedUpFlow())).toEqual([
      '1 Challenge',
      '2 Resource metadata',
      '3 Server metadata',
      'second URL tried',
      '4 Registration',
      '5 Authorization',
      '6 Callback',
      '7B wrong verifier',
      '7 Token exchange',
      '8 Use token',
      '9B wrong resource',
      '9 Refresh',
      '10 Use token',
      '11 Authorization',
      '12 Callback',
      '13 Token exchange',
      '14 Use token',
    ]);
  });

  test('the course is the one that leads to the current step, whichever branch is older', () => {
    const flow = aFlow([
      aStep(1, 'challenge'),
      aStep(2, 'token', { after: 1 }),
      aStep(3, 'use-token', { after: 2 }),
      aStep(4, 'token', { after: 1, branch: 1, state: 'stopped' }),
    ]);
    const lines = linesOf(flow);
    expect(lines.map(({ number, isSide }) => [number, isSide])).toEqual([
      ['1', false],
      ['2B', true],
      ['3B', true],
      ['2', false],
    ]);
    expect(lines.map(({ rail }) => rail.side)).toEqual(['none', 'begins', 'goes-on', 'none']);
  });

  test('several branches at one step have letters of their own', () => {
    const flow = aFlow([
      aStep(1, 'callback'),
      aStep(2, 'token', { after: 1, branch: 1 }),
      aStep(3, 'token', { after: 1, branch: 2 }),
      aStep(4, 'token', { after: 1, state: 'stopped' }),
    ]);
    expect(linesOf(flow).map(({ number }) => number)).toEqual(['1', '2B', '2C', '2']);
  });

  test('a step that was taken back is beside the one in its place', () => {
    const flow = aFlow([
      aStep(1, 'challenge'),
      aStep(2, 'token', { after: 1, state: 'taken-back' }),
      aStep(3, 'token', { after: 1, state: 'stopped' }),
    ]);
    expect(linesOf(flow).map(({ number, isSide }) => [number, isSide])).toEqual([
      ['1', false],
      ['2B', true],
      ['2', false],
    ]);
  });

  test('no step is lost, whatever the flow looks like', () => {
    const flow = aFlow([
      aStep(1, 'challenge', { after: null }),
      aStep(2, 'challenge', { after: null, branch: 1 }),
      aStep(3, 'token', { after: 2, branch: 1 }),
      aStep(4, 'token', { after: 2, branch: 2 }),
      aStep(5, 'use-token', { after: 4, branch: 2 }),
      aStep(6, 'refresh', { after: 1, state: 'taken-back' }),
    ]);
    expect(
      linesOf(flow)
        .map(({ step }) => step.id)
        .sort((a, b) => a - b),
    ).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

test('counts leave out branches and further exchanges', () => {
  expect(countsOf(steppedUpFlow())).toEqual({ done: 8, failed: 1, skipped: 1, planned: 3, forks: 2 });
});

test('the identity provider has a lane only in a flow that has one', () => {
  expect(lanesOf(steppedUpFlow())).toEqual(['client', 'mcp-server', 'authorization-server', 'browser']);
  expect(lanesOf(aFlow([aStep(1, 'sign-in')]))).toContain('identity-provider');
});

test('a line says its step, state, status and findings', () => {
  const names = linesOf(steppedUpFlow()).map(lineName);
  expect(names[3]).toBe('Server metadata, second URL tried, done, status 200, 1 found');
  expect(names[7]).toBe('7B Token exchange, wrong verifier, done, status 400, wrong value rejected');
  expect(names[13]).toBe('11 Authorization, stopped before sending');
});
