import { expect, test } from 'vitest';
import { aFlow, aStep } from '#fixtures/page/known-flows.ts';
import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader } from '#shared/trace/record.ts';
import { flowReport } from './flow-report.ts';

const header: TraceHeader = {
  format: TRACE_FORMAT,
  version: TRACE_VERSION,
  app: { name: 'sightglass', version: '1.2.3' },
  createdAt: '2026-11-28T12:00:00.000Z',
  clock: { at: 0, wall: 0 },
  server: { name: 'tested', transport: 'http', url: 'https://mcp.example.test/mcp' },
};

/** The lines of the report about one step. */
function stepLines(step: Partial<AuthorizationStep> & Record<string, unknown>): string[] {
  const report = flowReport(aFlow({ steps: [{ ...aStep(), ...step }] }), header);
  const [, part = ''] = report.split('\n### ');
  return (part.split('\n\n## ')[0] ?? '').trimEnd().split('\n').slice(2);
}

test('a step has its request, status, outcome and the rule that decided it', () => {
  expect(stepLines({ row: 3 })).toEqual([
    '- State: `done`, 21.4 ms, row #4',
    '- Between: `client`, `authorization-server`',
    '- Request: `GET https://login.example.test/.well-known/oauth-authorization-server`',
    '- Status: `200 OK`',
    '- Outcome: `The metadata names its endpoints.`',
    '- Decided by: `The first URL that has metadata is used.` (`RFC 8414 3`)',
  ]);
});

test('a parameter has its value or the fingerprint of a secret, and whether it is sent', () => {
  const parameter = { isOn: true, note: '', row: null, fingerprint: null };
  const body = [
    { ...parameter, name: 'scope', value: 'a b', note: 'from the challenge' },
    { ...parameter, name: 'code', value: null, fingerprint: '7719aa' },
    { ...parameter, name: 'resource', value: 'https://x.test', isOn: false },
  ];
  const request = { ...aStep().request, bodyKind: 'form', body } as AuthorizationStep['request'];
  expect(stepLines({ request }).slice(3, 7)).toEqual([
    '  - Form:',
    '    - `scope` = `a b`, `from the challenge`',
    '    - `code` = secret, fingerprint `7719aa`',
    '    - `resource` = `https://x.test`, not sent',
  ]);
});

test('a finding has what was expected, its source and the words of the library', () => {
  const finding = {
    rule: 'issuer-differs',
    severity: 'error' as const,
    text: 'It is another issuer.',
    source: 'RFC 8414 3.3',
    expected: 'https://a.test',
    received: 'https://b.test',
    row: 8,
    library: 'unexpected "issuer"',
  };
  expect(stepLines({ findings: [finding], isOverridden: true }).slice(-6)).toEqual([
    '- The flow stopped here, and the user continued anyway.',
    '- Findings:',
    '  - `error` `issuer-differs`: `It is another issuer.` (`RFC 8414 3.3`), row #9',
    '    - Expected: `https://a.test`',
    '    - Received: `https://b.test`',
    '    - oauth4webapi: `unexpected "issuer"`',
  ]);
});

test('what a later version adds to steps is listed too: parameters, comparisons, edits', () => {
  const later = {
    redirect: {
      url: 'http://127.0.0.1/callback',
      parameters: [
        { name: 'state', value: 'x', fingerprint: null },
        { name: 'code', value: null, fingerprint: 'aabbcc' },
      ],
    },
    comparedValues: [
      { of: 'iss', expected: 'https://a.test', isSame: true },
      { of: 'state', isSame: false },
    ],
    attempts: [1, 2],
    nothing: null,
    empty: [],
  };
  expect(stepLines(later).slice(6)).toEqual([
    '- Redirect:',
    '  - Url: `http://127.0.0.1/callback`',
    '  - Parameters:',
    '    - `state`: `x`',
    '    - `code`: secret, fingerprint `aabbcc`',
    '- Compared values:',
    '  - Of: `iss`',
    '    - Expected: `https://a.test`',
    '    - Is same: yes',
    '  - Of: `state`',
    '- Attempts:',
    '  - 1',
    '  - 2',
  ]);
});

test('no text of a server becomes Markdown, HTML, a link or another line', () => {
  const hostile =
    '`x` <img src=https://evil.test/a.png>\n# Title ![a](https://evil.test) \u202e\u001b[2J www.evil.test';
  const report = flowReport(
    aFlow({
      fault: { code: 'x', what: hostile, why: hostile, next: hostile, quote: hostile },
      changedSettings: [{ name: 'scopes', value: hostile }],
      steps: [
        {
          ...aStep({
            label: hostile,
            outcome: hostile,
            decidedBy: { text: hostile, source: hostile },
            alternatives: [{ label: hostile, why: hostile }],
            response: { status: 400, headers: [['WWW-Authenticate', hostile]], body: hostile },
          }),
          // A member that a later version adds.
          ...Object.fromEntries([[hostile, { [hostile]: [hostile] }]]),
        },
      ],
    }),
    { ...header, server: { ...header.server, name: hostile } },
  );
  // Outside of code there are only our own words.
  const plain = report.replaceAll(/(`+)[^]*?[^`]\1(?!`)/g, '');
  expect(plain).not.toMatch(/evil|<|!\[|\u202e|\u001b/);
  expect(report.match(/^#.*Title/m)?.[0].startsWith('# Authorization flow') ?? true).toBe(true);
});
