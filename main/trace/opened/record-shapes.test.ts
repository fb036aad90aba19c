import fc from 'fast-check';
import { expect, test } from 'vitest';
import { traceRecordSchema } from '#shared/trace/record.ts';
import { hasUsualShape, recordOf } from './record-shapes.ts';

const usual = { seq: 1, at: 2 };
const bytes = { text: 'x', size: 1 };
const sse = { name: 'message', id: '1', retry: 10, frame: ['data: ', '\n\n'], unframed: 1 };

/** A record of every kind that is tested by hand, with all that it may have. */
const records = {
  unit: {
    ...usual,
    kind: 'unit',
    direction: 'in',
    channel: 'sse',
    origin: 'user',
    exchange: 1,
    sse,
    ...bytes,
  },
  piece: { ...usual, kind: 'unit', direction: 'out', channel: 'stdin', base64: '/w==', size: 1, more: true },
  chunk: { ...usual, kind: 'chunk', of: 0, sse, ...bytes, cut: true },
  stderr: { ...usual, kind: 'stderr', ...bytes },
  body: { ...usual, kind: 'http-body', exchange: 1, direction: 'in', ...bytes },
  sse: { ...usual, kind: 'sse', exchange: 1, id: '', retry: 5, ...bytes },
  request: {
    ...usual,
    kind: 'http-request',
    exchange: 2,
    method: 'POST',
    url: 'http://127.0.0.1/',
    headers: [['A', 'b']],
    bodySize: 3,
    origin: 'probe',
    redirectOf: 1,
  },
  connected: {
    ...usual,
    kind: 'http-connected',
    exchange: 1,
    reused: false,
    remote: '127.0.0.1:1',
    proxy: 'http://127.0.0.1:2',
    took: { lookup: 1, connect: 2.5, proxy: 3, tls: 4 },
  },
  response: {
    ...usual,
    kind: 'http-response',
    exchange: 1,
    status: 200,
    reason: '',
    httpVersion: '1.1',
    headers: [],
    interim: true,
  },
  end: { ...usual, kind: 'http-end', exchange: 1, how: 'complete', size: 0, trailers: [['T', 'u']] },
};

test.each(Object.entries(records))('%s is tested by hand, and gives what the schema gives', (_, record) => {
  expect(hasUsualShape(record)).toBe(true);
  expect(recordOf(record)).toEqual(traceRecordSchema.parse(record));
});

const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  'in',
  'x',
  -1,
  0,
  1,
  1.5,
  2 ** 53,
  Number.NaN,
  true,
  false,
  [],
  ['x'],
  [['a', 'b']],
  [['a']],
  [['a', 1]],
  [[]],
  {},
  { frame: [] },
  { frame: [1] },
  { frame: [], id: 1 },
  { lookup: 'x' },
);

test('nothing passes that the schema refuses, whatever stands in a member', () => {
  const named = fc.constantFrom(...Object.values(records)).chain((record) =>
    fc.record({
      record: fc.constant<Record<string, unknown>>(record),
      changes: fc.dictionary(fc.constantFrom(...Object.keys(record)), odd, { minKeys: 1, maxKeys: 2 }),
    }),
  );
  fc.assert(
    fc.property(named, ({ record, changes }) => {
      const line = { ...record, ...changes };
      if (hasUsualShape(line)) expect(traceRecordSchema.safeParse(line).success).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['what the schema alone knows', { ...usual, kind: 'anchor', wall: 1 }, true],
  ['a failure', { ...usual, kind: 'http-end', exchange: 1, how: 'failed', size: 0 }, true],
  ['a kind of no version', { ...usual, kind: 'constructor' }, false],
  ['an array', [records.unit], false],
  ['a text', 'unit', false],
  ['null', null, false],
])('%s is left to the schema', (_, line, isRecord) => {
  expect(recordOf(line) !== null).toBe(isRecord);
});
