import { afterEach, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { CallbackListener } from './callback-listener.ts';

const open: CallbackListener[] = [];

async function listen(...args: Parameters<typeof CallbackListener.open>): Promise<CallbackListener> {
  const listener = await CallbackListener.open(...args);
  open.push(listener);
  return listener;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

const redirect = { host: '127.0.0.1', port: null, path: '/callback' } as const;
const never = new AbortController().signal;
const portOf = ({ redirectUri }: CallbackListener) => Number(new URL(redirectUri).port);

test.each(['127.0.0.1', 'localhost', '[::1]'] as const)('takes the redirect at %s', async (host) => {
  const listener = await listen({ ...redirect, host });
  expect(listener.redirectUri).toMatch(/^http:\/\/.+:\d+\/callback$/);
  const received = listener.next(never);
  const response = await fetch(`${listener.redirectUri}?code=a%20b&state=c`);
  expect(response.status).toBe(200);
  expect(await received).toBe(`${listener.redirectUri}?code=a%20b&state=c`);
});

test('answers with a static page, without scripts and without anything of the request', async () => {
  const listener = await listen(redirect);
  const response = await fetch(`${listener.redirectUri}?code=hunter2222&error=<script>`);
  const text = await response.text();
  expect(text).not.toMatch(/hunter2222|<script/i);
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'");
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
});

test('takes one redirect only, at its path only, until it is reset', async () => {
  const listener = await listen(redirect);
  const other = listener.redirectUri.replace('/callback', '/other');
  expect((await fetch(other)).status).toBe(404);
  expect((await fetch(listener.redirectUri, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${listener.redirectUri}?state=1`)).status).toBe(200);
  expect((await fetch(`${listener.redirectUri}?state=2`)).status).toBe(410);
  expect(await listener.next(never)).toContain('state=1');
  listener.reset();
  expect((await fetch(`${listener.redirectUri}?state=3`)).status).toBe(200);
  expect(await listener.next(never)).toContain('state=3');
});

test('names a busy port', async () => {
  const port = portOf(await listen(redirect));
  const error = await CallbackListener.open({ ...redirect, port }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(FaultError);
  expect(error).toMatchObject({
    fault: { code: 'redirect-port-busy', what: expect.stringContaining(String(port)) },
  });
});

test('prefers a port that was registered, and takes a free one if that is busy', async () => {
  const first = await listen(redirect);
  const port = portOf(first);
  expect(portOf(await listen(redirect, [port]))).not.toBe(port);
  await first.close();
  expect(portOf(await listen(redirect, [port]))).toBe(port);
});

test('ends a wait that is no longer wanted', async () => {
  const listener = await listen(redirect);
  const stop = new AbortController();
  const wait = listener.next(stop.signal);
  stop.abort();
  await expect(wait).rejects.toThrow('ended');
});
