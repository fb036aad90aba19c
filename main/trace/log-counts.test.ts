import { afterEach, beforeEach, expect, test } from 'vitest';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { LogCounter } from './log-counts.ts';

const SECOND = 1_000_000;

let http: HttpRecording;
let start: number;
beforeEach(async () => {
  http = await HttpRecording.begin({ secrets: { SECRET: 'hunter2-secret' } });
  // A whole second, as rates count whole seconds.
  start = Math.ceil(http.trace.header.clock.at / SECOND) * SECOND;
});
afterEach(() => http.close());

/** A log message of the server, so many seconds after the start. */
const log = (second: number, params: object) =>
  http.piece(
    { direction: 'in', channel: 'stdout', at: start + second * SECOND },
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }),
  );

test('log messages are counted by logger, those without one too', () => {
  log(0, { level: 'info', logger: 'db', data: 1 });
  log(0, { level: 'error', logger: 'db', data: 2 });
  log(0, { level: 'error', data: 3 });
  log(0, { level: 'loud', logger: 7, data: 4 });
  http.piece({ direction: 'in', channel: 'stdout' }, '{"jsonrpc":"2.0","method":"notifications/progress"}');
  http.stderr('no log message');
  const counter = new LogCounter(http.trace, null);
  expect(counter.read()).toMatchObject({
    count: 4,
    loggers: [
      { logger: 'db', count: 2 },
      { logger: null, count: 2 },
    ],
    unlisted: 0,
  });
  for (let more = 0; more < 3; more++) log(1, { level: 'debug', logger: 'ui', data: more });
  expect(counter.read()).toMatchObject({ count: 7, loggers: [{ logger: 'ui', count: 3 }, {}, {}] });
});

test('a rate is that of the last ten seconds, and falls while nothing comes', () => {
  let now = start;
  const live = new LogCounter(http.trace, () => now);
  for (let second = 0; second < 20; second++) {
    for (let one = 0; one < 3; one++) log(second + 0.5, { level: 'info', logger: 'db', data: one });
  }
  log(19.6, { level: 'info', logger: 'ui', data: 0 });
  now = start + 19.9 * SECOND;
  expect(live.read()).toMatchObject({
    perSecond: 3.1,
    loggers: [{ perSecond: 3 }, { logger: 'ui', perSecond: 0.1 }],
  });
  now = start + 24.9 * SECOND;
  const { perSecond } = live.read();
  expect(perSecond).toBeGreaterThan(1);
  expect(perSecond).toBeLessThan(2);
  now = start + 40 * SECOND;
  expect(live.read()).toMatchObject({
    count: 61,
    perSecond: 0,
    loggers: [{ perSecond: 0 }, { perSecond: 0 }],
  });
  // A file has no present: its rates are those at its end.
  expect(new LogCounter(http.trace, null).read().perSecond).toBe(3.1);
});

test('a logger that names a secret is counted without it', () => {
  log(0, { level: 'info', logger: 'db hunter2-secret', data: 1 });
  const text = JSON.stringify(new LogCounter(http.trace, null).read());
  expect(text).toContain('db ');
  expect(text).not.toContain('hunter2');
});

test('many loggers are listed up to a limit, and the rest is counted', () => {
  for (let one = 0; one < 300; one++) log(0, { level: 'info', logger: `logger ${one}`, data: one });
  const { loggers, unlisted, count } = new LogCounter(http.trace, null).read();
  expect([loggers.length, unlisted, count]).toEqual([200, 100, 300]);
});
