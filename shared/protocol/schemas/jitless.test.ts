import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Message } from '../jsonrpc.ts';

afterEach(() => {
  z.config({ jitless: false });
});

const messages: readonly Message[] = [
  { type: 'notification', method: 'notifications/message', params: { level: 'loud' } },
  { type: 'notification', method: 'notifications/message', params: { level: 'info', data: {}, more: 1 } },
  { type: 'result', id: 1, result: { content: [{ type: 'text' }, { type: 'video' }], task: 7 } },
  { type: 'result', id: 1, result: { resultType: 'input_required', inputRequests: { a: { method: 'x' } } } },
];

async function errorsOfAll(): Promise<unknown[]> {
  vi.resetModules();
  const { schemaErrors } = await import('./index.ts');
  const { revisions } = await import('../revisions.ts');
  return revisions.flatMap(({ id: revision }) =>
    messages.map((message) => schemaErrors(message, { revision, method: 'tools/call', from: 'server' })),
  );
}

test('a page that may not compile code is told the same', async () => {
  const compiled = await errorsOfAll();
  z.config({ jitless: true });
  expect(await errorsOfAll()).toEqual(compiled);
  expect(compiled.flat().length).toBeGreaterThan(10);
});
