import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HeadlessSession } from './headless-session.ts';
import { rowFollower } from './row-follower.ts';

/** What a flood comes to: more rows than anybody prints, one finding in each. */
const TOTAL = 1_000_000;
let printed = '';
beforeEach(() => {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text, encodingOrDone, done) => {
    printed += String(text);
    for (const call of [encodingOrDone, done]) if (typeof call === 'function') call();
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

/** Stands in for a session whose server floods: a real one ends within what a test may take. */
function floodedSession() {
  const asked = { rows: 0, findings: 0 };
  const row = (place: number) => ({
    row: place,
    at: place,
    kind: 'noise',
    status: 'invalid',
    direction: 'in',
    summary: 'y',
    noise: 'not-json',
    size: 1,
    duration: null,
    method: null,
    name: null,
    error: true,
  });
  const finding = (place: number) => ({
    rule: 'stdio/non-mcp-stdout',
    severity: 'error',
    text: 'Not JSON',
    pointer: null,
    revision: null,
    rows: [place],
  });
  const range = <T>(from: number, count: number, make: (place: number) => T) =>
    Array.from({ length: Math.min(count, TOTAL - from) }, (_, offset) => make(from + offset));
  const request = async (name: string, params: { from: number; count: number }) => {
    if (name === 'trace/summary') return { rows: TOTAL, clock: { at: 0, wall: 0 } };
    if (name === 'checks/findings') {
      asked.findings += params.count;
      return { findings: range(params.from, params.count, finding), total: TOTAL };
    }
    asked.rows += params.count;
    return { rows: range(params.from, params.count, row), total: TOTAL };
  };
  return { session: { request } as unknown as HeadlessSession, asked };
}

const rowsPrinted = () => printed.split('\n').filter((line) => line.includes('noise')).length;

test('a flood is followed until the time is over, not until it ends', async () => {
  const { session, asked } = floodedSession();
  const follower = await rowFollower(session, false);
  await follower.showNew(AbortSignal.abort());
  expect(rowsPrinted()).toBeGreaterThan(0);
  expect(asked.rows).toBeLessThan(20_000);
});

test('the beginning of what is left of a flood is printed, and the rest counted', async () => {
  const { session, asked } = floodedSession();
  const follower = await rowFollower(session, false);
  const left = await follower.showRest();
  expect(left).toBeGreaterThan(980_000);
  expect(rowsPrinted()).toBe(TOTAL - left);
  // One below each row.
  expect(printed.split('\n').filter((line) => line.includes('! error')).length).toBe(TOTAL - left);
  expect(asked.findings).toBeLessThan(2 * (TOTAL - left));
});
