import { expect, test } from 'vitest';
import { redactText } from './redact-text.ts';

const line = (rest: string) => `2025-10-12T11:22:49.293Z [notes] [info] ${rest}`;

test('replaces given values and what tells by itself that it is a secret, wherever it is repeated', () => {
  const text = [
    line(
      'Message from client: {"method":"tools/call","params":{"arguments":{"api_key":"planted-1-abcdef"}}}',
    ),
    line('starting with --token planted-2-abcdef'),
    line('planted-1-abcdef was used again'),
    line('env: { VALUE: planted-3-abcdef }'),
    line('Authorization: Bearer planted-4-abcdef'),
    '-----BEGIN PRIVATE KEY-----',
    'cGxhbnRlZC01LWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6',
    '-----END PRIVATE KEY-----',
  ].join('\n');
  const redacted = redactText(text, [['env:VALUE', 'planted-3-abcdef']]);
  expect(redacted).not.toMatch(/planted-|cGxhbnRlZC01/);
  expect(redacted).toContain('[secret env:VALUE, 16 characters');
  expect(redacted.split('\n')[0]).toContain('[notes] [info] Message from client: {"method":"tools/call"');
});

test('leaves everything else as it is', () => {
  const text = [line('Server started and connected successfully'), '', line('{ "ok": true }\r')].join('\n');
  expect(redactText(text, [])).toBe(text);
});
