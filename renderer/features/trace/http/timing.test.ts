import { expect, test } from 'vitest';
import { aConnection, anExchange, aResponse } from '#fixtures/page/trace-exchanges.tsx';
import { exactMilliseconds, timingOf } from './timing.tsx';

const stretches = (exchange: Parameters<typeof anExchange>[0]) =>
  timingOf({ row: 0, carried: [], carriedCount: 0, ...anExchange(exchange) }).steps.map(
    ({ name, from, to }) => `${name} ${from}–${to}`,
  );

test('puts the steps of a new connection one after the other, up to the stamp at which it was there', () => {
  const connected = aConnection({ at: 8000, took: { lookup: 1000, connect: 2000, proxy: 500, tls: 3000 } });
  const end = { ...anExchange().end!, at: 9500 };
  expect(stretches({ connected, responses: [aResponse({ at: 9000 })], end })).toEqual([
    'Queued 0–500',
    'Lookup 500–1500',
    'Connect 1500–3500',
    'Proxy 3500–4000',
    'TLS 4000–7000',
    'Wait 7000–8000',
    'Body 8000–8500',
  ]);
});

test('waits until the final response, past those before it', () => {
  const responses = [aResponse({ at: 2500, status: 103, interim: true }), aResponse({ at: 4000 })];
  expect(stretches({ responses }).slice(-2)).toEqual(['Wait 900–3000', 'Body 3000–4000']);
});

test('spans what is known of an exchange that is open', () => {
  const open = timingOf({
    row: 0,
    carried: [],
    carriedCount: 0,
    ...anExchange({ responses: [], end: null }),
  });
  expect(open).toMatchObject({ span: 900, total: null });
  expect(open.steps.at(-1)).toMatchObject({ name: 'Wait', from: 900, to: null });
});

test('marks the step in which it failed, and names it when there was no connection yet', () => {
  const end = {
    ...anExchange().end!,
    how: 'failed' as const,
    failure: { step: 'lookup' as const, code: 'ENOTFOUND', message: '' },
  };
  const { steps } = timingOf({
    row: 0,
    carried: [],
    carriedCount: 0,
    ...anExchange({ connected: null, responses: [], end }),
  });
  expect(steps).toMatchObject([{ name: 'Lookup', from: 0, to: 4000, hasFailed: true }]);
});

test('writes every microsecond', () => {
  expect([0, 7, 1_204_031].map(exactMilliseconds)).toEqual(['0.000 ms', '0.007 ms', '1,204.031 ms']);
});
