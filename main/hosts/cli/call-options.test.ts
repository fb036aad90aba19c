import { expect, test } from 'vitest';
import { callOptionsSchema, readCallParams } from './call-options.ts';
import { UsageError } from './exit-codes.ts';

const callParams = (options: object) => readCallParams(callOptionsSchema.parse(options));

test('a call without options has only a null timeout', () => {
  expect(callParams({})).toEqual({ timeout: null });
});

test.each([
  [true, null],
  ['500ms', 500],
  ['2m', 120_000],
])('--task %j asks for a task', (task, ttl) => {
  expect(callParams({ task })).toEqual({ timeout: null, task: { ttl } });
});

test('--meta is as it was typed', () => {
  expect(callParams({ meta: '{"n": 1.0}' })).toEqual({ timeout: null, meta: '{"n": 1.0}' });
});

test.each([
  [{ task: 'long-job' }, 'put --task behind all arguments'],
  [{ task: 'soon' }, 'put --task behind all arguments'],
  [{ task: '0s' }, '--task'],
  [{ meta: '1' }, '--meta wants a JSON object'],
])('%j is a mistake', (options, why) => {
  expect(() => callParams(options)).toThrow(UsageError);
  expect(() => callParams(options)).toThrow(why);
});
