import { expect, test } from 'vitest';
import { callOptionsSchema, readCallWishes } from './call-options.ts';
import { UsageError } from './exit-codes.ts';

const wishes = (options: object) => readCallWishes(callOptionsSchema.parse(options));

test('nothing is wished of a call when nothing is said', () => {
  expect(wishes({})).toEqual({ timeout: null });
});

test.each([
  [true, null],
  ['500ms', 500],
  ['2m', 120_000],
])('--task %j asks for a task', (task, ttl) => {
  expect(wishes({ task })).toEqual({ timeout: null, task: { ttl } });
});

test('--meta is as it was typed', () => {
  expect(wishes({ meta: '{"n": 1.0}' })).toEqual({ timeout: null, meta: '{"n": 1.0}' });
});

test.each([
  [{ task: 'long-job' }, 'put --task behind all arguments'],
  [{ task: 'soon' }, 'put --task behind all arguments'],
  [{ task: '0s' }, '--task'],
  [{ meta: '1' }, '--meta wants a JSON object'],
])('%j is a mistake', (options, why) => {
  expect(() => wishes(options)).toThrow(UsageError);
  expect(() => wishes(options)).toThrow(why);
});
