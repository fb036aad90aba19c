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

test('a flood leaves timers and others their turn, and nothing of it is lost', async () => {
  let lines = 0;
  const took = () => {
    // About as long as the rest of the app takes for a line.
    for (const begun = performance.now(); performance.now() - begun < 0.002; );
    lines++;
  };
  const reader = new OutputReader(endless(20), took, (read) => read());
  const turns: number[] = [];
  while (lines < 20 * 32_768) {
    const before = lines;
    await nextTurn();
    turns.push(lines - before);
  }
  expect(lines).toBe(20 * 32_768);
  expect(Math.max(...turns)).toBeLessThan(5 * 32_768);
  await reader.finish();
});

test('a pause by the user of the reader outlasts the turn that a flood gives to others', async () => {
  let lines = 0;
  const reader: OutputReader = new OutputReader(
    endless(20),
    () => {
      for (const begun = performance.now(); performance.now() - begun < 0.002; );
      lines++;
    },
    (read) => read(),
  );
  while (lines === 0) await nextTurn();
  reader.pause();
  await nextTurn();
  const before = lines;
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(lines).toBe(before);
  reader.resume();
  await reader.finish();
  expect(lines).toBe(20 * 32_768);
});
