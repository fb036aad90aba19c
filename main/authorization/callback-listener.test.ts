import { afterEach, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import type { ReceivedRequest } from '#transports/received-request.ts';
import { CallbackListener } from './callback-listener.ts';
import type { ArrivedCallback } from './received-callback.ts';

const open: CallbackListener[] = [];

type Redirect = Parameters<typeof CallbackListener.open>[0];

/** @param recorded gets what the listener records; the row is its place */
async function listen(
  redirect: Redirect,
  ports: readonly number[] = [],
  recorded: ReceivedRequest[] = [],
): Promise<CallbackListener> {
  const listener = await CallbackListener.open(redirect, (request) => recorded.push(request) - 1, ports);
  open.push(listener);
  return listener;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

const redirect = { host: '127.0.0.1', port: null, path: '/callback' } as const;
const never = new AbortController().signal;
/** Which redirect is waited for: the one with this state. */
const withState = (state: string, strays: string[] = []) => ({
  isAnswer: (url: string) => new URL(url).searchParams.get('state') === state,
  whyUntrusted: ({ url }: { readonly url: string }) =>
    new URL(url).searchParams.get('state') === state ? null : 'another state',
  onStray: ({ url }: ArrivedCallback) => void strays.push(url),
});
const portOf = ({ redirectUri }: CallbackListener) => Number(new URL(redirectUri).port);

test.each(['127.0.0.1', 'localhost', '[::1]'] as const)('takes the redirect at %s', async (host) => {
  const listener = await listen({ ...redirect, host });
  expect(listener.redirectUri).toMatch(/^http:\/\/.+:\d+\/callback$/);
  const received = listener.next(never, withState('c'));
  const response = await fetch(`${listener.redirectUri}?code=a%20b&state=c`);
  expect(response.status).toBe(200);
  expect(await received).toMatchObject({ url: `${listener.redirectUri}?code=a%20b&state=c`, row: 0 });
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

test('takes one redirect only, until it is reset', async () => {
  const listener = await listen(redirect);
  const first = listener.next(never, withState('1'));
  expect((await fetch(`${listener.redirectUri}?state=1`)).status).toBe(200);
  expect((await fetch(`${listener.redirectUri}?state=1`)).status).toBe(410);
  expect((await first).url).toContain('state=1');
  listener.reset();
  const second = listener.next(never, withState('2'));
  expect((await fetch(`${listener.redirectUri}?state=2`)).status).toBe(200);
  expect((await second).url).toContain('state=2');
});

test('nothing but the awaited answer ends the wait, and the browser is told what is wrong', async () => {
  const recorded: ReceivedRequest[] = [];
  const listener = await listen(redirect, [], recorded);
  const strays: string[] = [];
  const received = listener.next(never, withState('right', strays));
  const uri = listener.redirectUri;
  const refused: [url: string, method: string, status: number, says: RegExp][] = [
    [uri.replace('/callback', '/other?code=c&state=right'), 'GET', 404, /not the redirect uri/i],
    [uri.replace('/callback', '/favicon.ico'), 'GET', 404, /not the redirect uri/i],
    [`${uri}/?code=c&state=right`, 'GET', 404, /not the redirect uri/i],
    [`${uri}?code=c&state=right`, 'POST', 405, /is a GET/],
    [`${uri}?code=c&state=right`, 'HEAD', 405, /^$/],
    [uri, 'GET', 400, /no answer/i],
    [`${uri}?`, 'GET', 400, /no answer/i],
    [`${uri}?utm_source=x`, 'GET', 400, /no answer/i],
    [`${uri}?code=c`, 'GET', 400, /state is missing/],
    [`${uri}?error=access_denied`, 'GET', 400, /state is missing/],
    [`${uri}?code=c&state=`, 'GET', 400, /state is of another request/],
    [`${uri}?code=c&state=wrong`, 'GET', 400, /state is of another request/],
  ];
  for (const [url, method, status, says] of refused) {
    const response = await fetch(url, { method });
    expect([url, method, response.status]).toEqual([url, method, status]);
    expect(await response.text()).toMatch(says);
  }
  expect(strays.map((url) => new URL(url).search)).toEqual([
    '?code=c&state=right',
    '?code=c&state=right',
    '',
    '',
    '?utm_source=x',
    '?code=c',
    '?error=access_denied',
    '?code=c&state=',
    '?code=c&state=wrong',
  ]);
  expect((await fetch(`${uri}?code=c&state=right`)).status).toBe(200);
  expect(await received).toMatchObject({ url: `${uri}?code=c&state=right`, row: 9 });
  expect(recorded.map(({ response }) => response?.status)).toEqual([
    405, 405, 400, 400, 400, 400, 400, 400, 400, 200,
  ]);
  expect(recorded.at(-2)?.received).toEqual({ by: 'listener', untrusted: 'another state' });
  expect(recorded.at(-1)?.received).toEqual({ by: 'listener' });
});

test('records what came before someone waited, with the page that it got', async () => {
  const recorded: ReceivedRequest[] = [];
  const listener = await listen(redirect, [], recorded);
  for (const state of ['1', '2']) await fetch(`${listener.redirectUri}?state=${state}`);
  expect(recorded).toEqual([]);
  expect((await listener.next(never, withState('2'))).row).toBe(1);
  expect(recorded.map(({ response, received }) => [response?.status, received.untrusted])).toEqual([
    [200, 'another state'],
    [200, undefined],
  ]);
  await fetch(`${listener.redirectUri}?state=2`);
  expect(recorded.at(-1)).toMatchObject({
    response: { status: 410 },
    received: { untrusted: 'The request was answered before it came.' },
  });
});

test('a redirect that comes before someone waits is not lost, however many others came', async () => {
  const listener = await listen(redirect);
  for (let index = 0; index < 20; index++) await fetch(`${listener.redirectUri}?state=${index}`);
  expect((await listener.next(never, withState('15'))).url).toContain('state=15');
});

test('names a busy port', async () => {
  const port = portOf(await listen(redirect));
  const error = await CallbackListener.open({ ...redirect, port }, () => null).catch(
    (caught: unknown) => caught,
  );
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
  const wait = listener.next(stop.signal, withState('1'));
  stop.abort();
  await expect(wait).rejects.toThrow('ended');
});
