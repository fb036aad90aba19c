import { expect, test } from 'vitest';
import { activeLabels, switchTable } from './switch-table.ts';
import { switchesOff, switchesSchema } from './switches.ts';

test('every switch has one row', () => {
  expect(switchTable.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(switchesSchema.shape).toSorted(),
  );
});

test('the first choice of each switch is off; every other one makes it active', () => {
  expect(activeLabels(switchesOff)).toEqual([]);
  for (const { name, choices, choiceOf, choose } of switchTable) {
    expect(choiceOf(switchesOff), name).toBe(choices[0].id);
    for (const { id } of choices.slice(1)) {
      const switches = choose(switchesOff, id);
      expect(choiceOf(switches), name).toBe(id);
      expect(activeLabels(switches), name).toHaveLength(1);
    }
  }
});
