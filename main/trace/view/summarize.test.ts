import { expect, test } from 'vitest';
import type { TraceRecord } from '#shared/trace/record.ts';
import { summarize } from './summarize.ts';

const facts = { kind: 'notification', position: 0, batch: 1, subject: null } as const;

function unit(message: unknown): TraceRecord {
  const text = JSON.stringify(message);
  return { seq: 0, at: 0, kind: 'unit', direction: 'in', channel: 'stdout', text, size: text.length };
}

test.each([
  ['notifications/progress', { progressToken: 1, progress: 2, total: 4, message: 'half' }, '2 / 4  half'],
  ['notifications/message', { level: 'info', logger: 'db', data: { a: 1 } }, 'info · db · {"a":1}'],
  ['notifications/cancelled', { requestId: 'a', reason: 'enough' }, 'cancels "a": enough'],
  ['notifications/resources/updated', { uri: 'file:///a' }, 'file:///a'],
  ['notifications/roots/list_changed', undefined, ''],
])('%s is told in one line', (method, params, summary) => {
  expect(summarize(unit({ jsonrpc: '2.0', method, params }), facts)).toBe(summary);
});

test.each(Object.getOwnPropertyNames(Object.prototype))('a method may be called %s', (method) => {
  expect(summarize(unit({ jsonrpc: '2.0', method, params: { a: 1 } }), facts)).toBe('');
});
