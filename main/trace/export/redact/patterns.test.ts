import { expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { matchesPattern, Patterns } from './patterns.ts';

const faultOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
  return null;
};

test.each([
  [['a', 'x(b'], 2, 2],
  [['a)b'], 1, 2],
  [['*a'], 1, 1],
  [['ab[c'], 1, 3],
  [['a{2,1}b'], 1, 6],
  [['(ok)(bad'], 1, 5],
])('%j: the fault names pattern %i and the place in it', (patterns, number, place) => {
  const fault = faultOf(() => new Patterns(patterns));
  expect(fault?.code).toBe('bad-pattern');
  expect(fault?.what).toContain(`Pattern ${number} `);
  expect(fault?.what).toContain(`character ${place}.`);
  expect(fault?.evidence).toBe(patterns[number - 1]);
});

test('matches are returned with their positions, except empty ones and lone surrogates', () => {
  const patterns = new Patterns(['b*', 'é+', '\\ud83d']);
  expect(patterns.find('abbéé😀', 0).map(({ kind, start, end, value }) => [kind, start, end, value])).toEqual(
    [
      ['pattern 1', 1, 3, 'bb'],
      ['pattern 2', 3, 5, 'éé'],
      ['pattern 3', 5, 7, '😀'],
    ],
  );
});

test('a pattern that would run for ever ends with a fault that names the row, also among others', () => {
  const text = `${'a'.repeat(60)}!`;
  const alone = faultOf(() => new Patterns(['(a+)+$']).find(text, 6));
  expect(alone).toMatchObject({ code: 'pattern-too-slow', what: expect.stringContaining('#7') });
  const patterns = new Patterns(['(a+)+$']);
  const among = faultOf(() =>
    patterns.prepare(() => {
      for (const [row, one] of ['fine', text, 'fine too'].entries()) patterns.find(one, row);
    }),
  );
  expect(among).toMatchObject({ code: 'pattern-too-slow', what: expect.stringContaining('#2') });
});

test('a pattern is matched within the same limit', () => {
  expect(matchesPattern(String.raw`^\p{L}\d$`, 'ä1')).toBe(true);
  expect(matchesPattern('b', 'a')).toBe(false);
  expect(matchesPattern('(', '(')).toBe(false);
  expect(matchesPattern('(a+)+$', `${'a'.repeat(60)}!`)).toBeNull();
});

test('a prepared search finds the same matches as separate searches', () => {
  const texts = ['a1', 'b', 'c22 c3', 'a1'];
  const prepared = new Patterns(['\\d+']);
  prepared.prepare(() => texts.forEach((text, row) => prepared.find(text, row)));
  const alone = new Patterns(['\\d+']);
  for (const text of texts) expect(prepared.find(text, 0)).toEqual(alone.find(text, 0));
});
