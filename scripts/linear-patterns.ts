// Checks that every regular expression of the product takes time in proportion to the text: node scripts/linear-patterns.ts
//
// Each pattern that repeats something is checked with recheck, which knows how a backtracking engine tries, and finds a text that
// makes it try too often. That takes minutes for all of them, so those that passed are written to fixtures/patterns/linear.txt; a
// unit test fails for any pattern of the source that is not there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import { hasLoop, patternsInSource } from '#fixtures/patterns/patterns-in-source.ts';

const root = join(import.meta.dirname, '..');
const list = join(root, 'fixtures/patterns/linear.txt');

/** Milliseconds for one pattern; one that takes longer is reported, and has to be written in a simpler way. */
const TIMEOUT = 120_000;

const known = new Set(readFileSync(list, 'utf8').trim().split('\n'));
const patterns = patternsInSource(root).filter(hasLoop);
let failures = 0;
const linear: string[] = [];
for (const { written, source, flags, place } of patterns) {
  const result = known.has(written)
    ? null
    : // The letters that recheck does not know change nothing of how often it tries.
      await check(withSmallBounds(source), flags.replaceAll(/[gdv]/g, ''), { timeout: TIMEOUT });
  if (result === null || result.status === 'safe') linear.push(written);
  else {
    failures++;
    const text = result.status === 'vulnerable' ? `, with ${result.attack.pattern.slice(0, 200)}` : '';
    console.log(`✗ ${place} ${written}: ${result.status}${text}`);
  }
}
writeFileSync(list, `${linear.toSorted().join('\n')}\n`);
console.log(`${linear.length} of ${patterns.length} patterns are linear`);
if (failures > 0) process.exitCode = 1;

/**
 * A pattern with smaller limits of its repetitions. How often it tries grows with a limit, but not with the text: `{0,200}` is linear
 * if `{0,3}` is, and the larger one would seem quadratic in texts shorter than itself.
 */
function withSmallBounds(source: string): string {
  return source
    .replaceAll(/\{(\d+),(\d+)\}/g, (written, least: string, most: string) =>
      Number(most) > 3 ? `{${Math.min(Number(least), 2)},3}` : written,
    )
    .replaceAll(/\{(\d+)\}/g, (written, times: string) => (Number(times) > 3 ? '{3}' : written));
}
