import { expect, test } from 'vitest';
import { rank, rankWithRecent } from './palette-rank.ts';

const score = (typed: string, title: string, ...others: string[]) => rank('', typed, [title, ...others]);

test('the beginning of the title is best, then that of a word, then other words, then letters in order', () => {
  const scores = [
    score('plan', 'Plan a trip'),
    score('trip', 'Plan a trip'),
    score('travel', 'Plan a trip', 'Tools', 'travelling'),
    score('rip', 'Plan a trip'),
    score('velling', 'Plan a trip', 'Tools', 'travelling'),
    score('plt', 'Plan a trip'),
  ];
  expect(scores.every((one) => one > 0)).toBe(true);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});

test.each([
  ['letters in another order', 'tlp'],
  ['letters that begin within a word', 'lan a t rp'],
  ['letters from within a word that does not begin with one', 'plnrp'],
  ['two letters only', 'pp'],
  ['one word of two', 'plan nothing'],
])('of %s nothing is found', (_, typed) => {
  expect(score(typed, 'Plan a trip')).toBe(0);
});

test('what was chosen lately comes before what fits as well, but not before what fits better', () => {
  const ranked = rankWithRecent(['b', 'a']);
  expect(ranked('b', 'show', ['Show Tasks'])).toBeGreaterThan(ranked('a', 'show', ['Show Tools']));
  expect(ranked('a', 'show', ['Show Tools'])).toBeGreaterThan(ranked('c', 'show', ['Show Logs']));
  expect(ranked('b', 'ping', ['Keep pinging'])).toBeLessThan(ranked('c', 'ping', ['Ping']) * 1.5);
  expect(ranked('b', 'nothing', ['Show Tasks'])).toBe(0);
});
