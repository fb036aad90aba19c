import { expect, test } from 'vitest';
import type { Call } from '#shared/contract/calls.ts';
import type { ForwardedAnswer } from './mock.ts';
import { type ForwardingSession, MissForwarder } from './forward-misses.ts';

/** Forwards a request that is cancelled before or during its start. A session of ours cannot be stopped at that point. */
async function forwardCancelled(
  when: 'before' | 'during the start',
): Promise<{ sent: string[]; answer: ForwardedAnswer }> {
  const client = new AbortController();
  const sent: string[] = [];
  const session: ForwardingSession = {
    id: 'session',
    start: async (method) => {
      sent.push(method);
      client.abort();
      return 'call';
    },
    cancel: (id) => void sent.push(`cancel ${id}`),
    ended: async (id) =>
      ({ id, error: null, fault: { code: 'cancelled', what: 'It was cancelled.' } }) as Call,
    result: async () => ({ text: null, truncated: false }),
  };
  const forwarder = new MissForwarder({
    session: () => session,
    onQuestion: () => () => undefined,
    answer: () => undefined,
    declinesOthers: false,
  });
  if (when === 'before') client.abort();
  const ask = () => Promise.reject(new Error('the server asks nothing'));
  const request = { method: 'tools/call', params: null, signal: client.signal, ask };
  return { answer: await forwarder.forward(request), sent };
}

test('a request that was cancelled before it is forwarded is not sent to the server', async () => {
  const { sent, answer } = await forwardCancelled('before');
  expect(sent).toEqual([]);
  expect(answer).toMatchObject({
    member: 'error',
    json: expect.stringContaining('tools/call was cancelled'),
  });
});

test('a request that is cancelled while it is sent is cancelled at the server too', async () => {
  const { sent, answer } = await forwardCancelled('during the start');
  expect(sent).toEqual(['tools/call', 'cancel call']);
  expect(answer.member).toBe('error');
});
