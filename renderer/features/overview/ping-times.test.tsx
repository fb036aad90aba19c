import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { PingTimes } from './ping-times.tsx';

afterEach(cleanup);

/** An engine whose pings take these microseconds, and fail at null. */
function answersAfter(...durations: readonly (number | null)[]) {
  let pings = 0;
  fakeEngine({
    'sessions/ping': () => {
      const duration = durations[pings++] ?? null;
      if (duration === null) throw new FaultError({ code: 'timeout', what: 'No answer within 60 s.' });
      return { duration };
    },
  });
  return { sent: () => pings };
}

const ping = () => userEvent.click(screen.getByRole('button', { name: 'Ping' }));

test('several pings are a chart with their minimum, median and maximum', async () => {
  answersAfter(1000, 4000, 2000, 30_000);
  render(<PingTimes sessionId="s1" era="legacy" />);
  await ping();
  expect(await screen.findByText('answered in 1.0 ms')).toBeTruthy();
  expect(screen.queryByRole('img')).toBeNull();
  await ping();
  await ping();
  await ping();
  const chart = await screen.findByRole('img', {
    name: '4 round trips: min 1.0 ms · median 3.0 ms · max 30.0 ms',
  });
  const heights = [...chart.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('height')));
  expect(heights[3]).toBe(32);
  expect(heights[1]).toBeCloseTo((4 / 30) * 32);
});

test('a ping without a result is counted, and does not change the times', async () => {
  answersAfter(1000, null);
  render(<PingTimes sessionId="s1" era="legacy" />);
  await ping();
  await ping();
  expect(await screen.findByText('No answer within 60 s.')).toBeTruthy();
  expect(
    screen.getByRole('img', {
      name: '2 round trips: min 1.0 ms · median 1.0 ms · max 1.0 ms · 1 without a result',
    }),
  ).toBeTruthy();
});

test('Repeat goes on until it is pressed again', async () => {
  const engine = answersAfter(1000, 1000, 1000, 1000, 1000, 1000);
  render(<PingTimes sessionId="s1" era="legacy" />);
  const repeat = screen.getByRole('button', { name: 'Repeat' });
  await userEvent.click(repeat);
  expect(repeat.getAttribute('aria-pressed')).toBe('true');
  expect(await screen.findByRole('img', { name: /^2 round trips/ }, { timeout: 5000 })).toBeTruthy();
  await userEvent.click(repeat);
  const before = engine.sent();
  await new Promise((resolve) => setTimeout(resolve, 1300));
  expect(engine.sent()).toBe(before);
});
