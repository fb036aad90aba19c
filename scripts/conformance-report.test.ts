import { describe, expect, it } from 'vitest';
import { whyNotClaimed } from './conformance-claims.ts';
import { outcomeOf, readList, readPairs, reportText } from './conformance-report.ts';

const check = (status: string, id = 'some-check') => ({ id, name: 'SomeCheck', status });

describe('the list of the suite', () => {
  it('has what a client must pass and what is only informational, without the servers’ scenarios', () => {
    const text = `Required for 2025-11-25 (3 scenarios, frozen):

Server scenarios (test against a server):
  - ping

Client scenarios (test against a client):
  - initialize
  - auth/basic-cimd

Run and reported, but never scored:
  added-after-release (2):
    - server-session-lifecycle [server]
    - json-schema-2020-12-preservation [client]
`;
    expect(readList(text)).toEqual([
      { scenario: 'initialize', isRequired: true },
      { scenario: 'auth/basic-cimd', isRequired: true },
      { scenario: 'json-schema-2020-12-preservation', isRequired: false },
    ]);
  });

  it('of everything has the revisions of each scenario behind it', () => {
    const text = `Server scenarios (test against a server):
  - ping [2025-06-18,2025-11-25]

Client scenarios (test against a client):
  - tools_call [2025-06-18,2026-07-28]
  - sep-2640-client-verify-size [extension]
`;
    expect(readPairs(text)).toEqual([
      { scenario: 'tools_call', target: '2025-06-18' },
      { scenario: 'tools_call', target: '2026-07-28' },
      { scenario: 'sep-2640-client-verify-size', target: 'extension' },
    ]);
  });

  it('without a scenario for clients is no list', () => {
    expect(() => readList('Usage: conformance list')).toThrow('no client scenario');
    expect(() => readPairs('Usage: conformance list')).toThrow('no client scenario');
    expect(() => readPairs('Client scenarios:\n  - tools_call\n')).toThrow('no revision of tools_call');
  });
});

describe('a scenario', () => {
  it('is passed when checks succeeded and none failed or warns', () => {
    expect(outcomeOf([check('SUCCESS'), check('SKIPPED'), check('INFO')], 0)).toEqual({
      state: 'passed',
      successes: 1,
      problems: [],
    });
  });

  it.each([
    ['that no check has looked at', [check('SKIPPED'), check('INFO')], 0, 'no check succeeded'],
    ['without any check', [], 0, 'no check succeeded'],
    ['with a warning', [check('SUCCESS'), check('WARNING')], 0, 'WARNING some-check'],
    ['with a failure', [check('SUCCESS'), check('FAILURE')], 1, 'FAILURE some-check'],
    ['whose client failed', [check('SUCCESS')], 1, 'ended with 1'],
    ['that left no results', null, 1, 'no checks.json'],
  ])('%s is failed', (_, checks, exitCode, problem) => {
    const { state, problems } = outcomeOf(checks, exitCode);
    expect(state).toBe('failed');
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('the table', () => {
  it('has every scenario with its result, what is wrong below it, and the sum', () => {
    const target = '2026-07-28';
    const text = reportText([
      { target, scenario: 'tools_call', isRequired: true, result: outcomeOf([check('SUCCESS')], 0) },
      { target, scenario: 'extra', isRequired: false, result: outcomeOf([], 0) },
      { target, scenario: 'auth/x', isRequired: true, result: { notClaimed: 'authorization' } },
      { target: 'extension', scenario: 'auth/y', isRequired: false, result: { notClaimed: 'time' } },
    ]);
    expect(text.split('\n')).toEqual([
      '2026-07-28  tools_call  passed (1)',
      '2026-07-28  extra       FAILED, not required',
      '    no check succeeded',
      '2026-07-28  auth/x      not yet claimed: authorization',
      'extension   auth/y      not yet claimed: time, not required',
      '1 passed, 1 failed, 2 not yet claimed',
    ]);
  });
});

describe('what is not claimed', () => {
  it('has a reason, and everything else must pass', () => {
    expect(whyNotClaimed('sep-2640-client-verify-size')).toBe('the skills extension');
    expect(whyNotClaimed('something-new')).toBeNull();
  });
});
