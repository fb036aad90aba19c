import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Reconnects } from './reconnects.ts';

const goOn = new AbortController().signal;

test('continues forever while the server is reached, whatever it sends', async () => {
  const reconnects = new Reconnects({ events: 0, retry: 0 }, 2);
  for (let attempt = 0; attempt < 3; attempt++) expect(await reconnects.wait(true, goOn)).toBe(true);
});

test('gives up after so many failures in a row', async () => {
  const reconnects = new Reconnects({ events: 0, retry: 0 }, 2);
  expect(await reconnects.wait(false, goOn)).toBe(true);
  expect(await reconnects.wait(true, goOn)).toBe(true);
  expect(await reconnects.wait(false, goOn)).toBe(true);
  expect(await reconnects.wait(false, goOn)).toBe(true);
  expect(await reconnects.wait(false, goOn)).toBe(false);
});

test('stops waiting on request', async () => {
  const stop = new AbortController();
  const waiting = new Reconnects({ events: 0, retry: 3_600_000 }, 2).wait(true, stop.signal);
  stop.abort();
  expect(await waiting).toBe(false);
  expect(await new Reconnects({ events: 0, retry: 0 }, 2).wait(true, stop.signal)).toBe(false);
});

test.each([2 ** 31, Number.MAX_SAFE_INTEGER])('waits when it is asked to for %d ms, too', async (retry) => {
  const stop = new AbortController();
  const waiting = new Reconnects({ events: 0, retry }, 2).wait(true, stop.signal);
  const first = await Promise.race([waiting.then(() => 'went on'), delay(100, 'waits')]);
  stop.abort();
  expect(first).toBe('waits');
});
