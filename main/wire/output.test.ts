import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OutputReader } from './output.ts';

const CHUNK = Buffer.from('y\n'.repeat(32_768));

/** A process that prints without end; no real one is sure to have more at each read on a busy machine. */
const endless = (most: number) => {
  let left = most;
  return new Readable({
    read() {
      this.push(left-- > 0 ? CHUNK : null);
    },
  });
};

/** Counts lines, and takes about as long for each as the rest of the app does. */
const slowly = (seen: { lines: number }) => () => {
  for (const begun = performance.now(); performance.now() - begun < 0.002; );
  seen.lines++;
};

test('a flood leaves timers and others their turn, and nothing of it is lost', async () => {
  const seen = { lines: 0 };
  const reader = new OutputReader(endless(20), slowly(seen), (read) => read());
  const turns: number[] = [];
  while (seen.lines < 20 * 32_768) {
    const before = seen.lines;
    await nextTurn();
    turns.push(seen.lines - before);
  }
  expect(seen.lines).toBe(20 * 32_768);
  expect(Math.max(...turns)).toBeLessThan(5 * 32_768);
  await reader.finish();
});

test('a pause by the user of the reader outlasts the turn that a flood gives to others', async () => {
  const seen = { lines: 0 };
  const reader = new OutputReader(endless(20), slowly(seen), (read) => read());
  while (seen.lines === 0) await nextTurn();
  reader.pause();
  await nextTurn();
  const before = seen.lines;
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(seen.lines).toBe(before);
  reader.resume();
  await reader.finish();
  expect(seen.lines).toBe(20 * 32_768);
});
