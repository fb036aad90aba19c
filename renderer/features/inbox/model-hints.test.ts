import { expect, test } from 'vitest';
import { chooseModel } from './model-hints.ts';

const names = ['gpt-small', 'claude-sonnet-4', 'claude-opus-4'];

test('hints are evaluated in order, each is part of a name, and the first match wins', () => {
  expect(chooseModel({ hints: [{ name: 'gemini' }, { name: 'Opus' }, { name: 'claude' }] }, names)).toEqual({
    model: 'claude-opus-4',
    hints: [
      { hint: 'gemini', model: null, isIgnored: false },
      { hint: 'Opus', model: 'claude-opus-4', isIgnored: false },
      { hint: 'claude', model: 'claude-sonnet-4', isIgnored: true },
    ],
  });
});

test('without a match the preferred model of the user is chosen', () => {
  expect(chooseModel({ hints: [{ name: 'gemini' }, {}] }, names).model).toBe('gpt-small');
  expect(chooseModel(undefined, names)).toEqual({ model: 'gpt-small', hints: [] });
  expect(chooseModel({ hints: [{ name: 'gpt' }] }, [])).toMatchObject({ model: null });
});
