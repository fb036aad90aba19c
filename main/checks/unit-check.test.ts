import { expect, test } from 'vitest';
import { noiseReasons } from '#shared/trace/row.ts';
import { checkNoise } from './unit-check.ts';

const lines = {
  'not-utf8': 'transport/invalid-utf8',
  'not-json': 'stdio/non-mcp-stdout',
  'half-json': 'stdio/embedded-newline',
  'several-values': 'stdio/several-on-a-line',
  blank: 'stdio/blank-line',
  'too-large': 'transport/message-too-large',
};
const onlyOn = (rule: string) => ({
  ...Object.fromEntries(noiseReasons.map((reason) => [reason, rule])),
  'not-utf8': 'transport/invalid-utf8',
  'too-large': 'transport/message-too-large',
});

test.each([
  ['stdout', lines],
  ['http', onlyOn('http/json-reply-not-object')],
  ['sse', onlyOn('sse/data-not-json')],
] as const)('each kind of noise on %s breaks a rule, in words of its own', (channel, expected) => {
  const found = noiseReasons.map((reason) =>
    checkNoise({ row: 0, direction: 'in', channel, reason, isCut: false }),
  );
  const rules = found.map(({ violation }, place) => [noiseReasons[place], violation.rule]);
  expect(Object.fromEntries(rules)).toEqual(expected);
  const texts = found.map(({ violation }) => violation.text);
  expect(new Set(texts).size).toBe(noiseReasons.length);
  for (const text of texts) expect(text).toMatch(/^[A-Z].+ .+[^.]$/);
});

test.each(['not-utf8', 'too-large'] as const)('what breaks off is still told to be %s', (reason) => {
  const { violation } = checkNoise({ row: 0, direction: 'in', channel: 'stdout', reason, isCut: true });
  expect(violation.rule).toBe(lines[reason]);
});
