import { expect, test } from 'vitest';
import { effectiveHints } from './hints.ts';

const reported = (annotations: Parameters<typeof effectiveHints>[0]) =>
  effectiveHints(annotations).map(({ label, isExplicit }) => `${label}${isExplicit ? '' : ' (default)'}`);

test('a tool that says nothing has the defaults of the specification', () => {
  const defaults = ['may write', 'may destroy', 'not idempotent', 'open world'].map(
    (label) => `${label} (default)`,
  );
  expect(reported(undefined)).toEqual(defaults);
  expect(reported({ title: 'x' })).toEqual(defaults);
});

test('what the server says wins and is marked as said', () => {
  expect(
    reported({ readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }),
  ).toEqual(['may write', 'only adds', 'idempotent', 'closed world']);
});

test('a read-only tool neither destroys nor is idempotent', () => {
  expect(reported({ readOnlyHint: true, destructiveHint: true, idempotentHint: true })).toEqual([
    'read-only',
    'open world (default)',
  ]);
});

test('a value that equals the default is still one that the server gave', () => {
  expect(effectiveHints({ openWorldHint: true }).at(-1)?.meaning).toContain(
    'The server says openWorldHint: true',
  );
});
