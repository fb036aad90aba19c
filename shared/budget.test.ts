import { expect, test } from 'vitest';
import { Budget, OverBudget, withinBudget } from './budget.ts';

test('a budget ends work by its steps or its characters', () => {
  const budget = new Budget({ steps: 3, characters: 10 });
  budget.take(3, 10);
  expect(budget.isSpent).toBe(false);
  expect(() => budget.take(1)).toThrow(OverBudget);
  expect(() => new Budget({ steps: 3, characters: 10 }).take(1, 11)).toThrow('too much work');
  expect(budget.isSpent).toBe(true);
});

test('a part has a limit of its own and counts for the whole', () => {
  const whole = new Budget({ steps: 10, characters: 10 });
  const part = whole.part({ steps: 6, characters: 10 });
  const outcome = withinBudget(() => {
    for (;;) part.take(1);
  });
  expect(outcome).toMatchObject({ limit: '6 steps', fault: { code: 'over-budget' } });
  // The whole did not count the step that was too much for the part: four are left.
  const other = whole.part({ steps: 100, characters: 10 });
  other.take(4);
  expect(whole.isSpent).toBe(false);
  expect(() => other.take(1)).toThrow(OverBudget);
});

test('any other error of the work goes on', () => {
  expect(() =>
    withinBudget(() => {
      throw new TypeError('a bug');
    }),
  ).toThrow(TypeError);
});
