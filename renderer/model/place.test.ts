import { expect, test } from 'vitest';
import { create } from 'zustand';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { MAX_TYPED } from '#shared/contract/place.ts';
import { choice, keepChoice, keepEntry, keptEntry, readPlace } from './place.ts';

test('an entry is sent once it has changed, without texts that are too long to be kept', async () => {
  const engine = fakeEngine({
    'place/read': () => ({ entries: {}, isOfThisRun: false }),
    'place/keep': () => null,
  });
  await readPlace();
  const draft = (text: string, isTouched = true) => ({
    serverId: 'a',
    chosen: { isTouched },
    typed: { text },
  });
  const sent = () => engine.asked('place/keep');
  keepEntry('draft', draft('{}'));
  await expect.poll(sent).toEqual([{ entries: { draft: draft('{}') } }]);
  keepEntry('draft', draft('{}'));
  keepEntry('other', draft('x'.repeat(MAX_TYPED)));
  await expect.poll(sent).toHaveLength(2);
  expect(sent()[1]).toEqual({ entries: { other: draft('x'.repeat(MAX_TYPED)) } });
  keepEntry('other', draft('x'.repeat(MAX_TYPED + 1)));
  keepEntry('draft', draft('{}', false));
  await expect.poll(sent).toHaveLength(3);
  expect(sent()[2]).toEqual({
    entries: { other: { ...draft(''), typed: {} }, draft: draft('{}', false) },
  });
  keepEntry('other', draft('x'.repeat(MAX_TYPED + 2)));
  keepEntry('draft', null);
  await expect.poll(sent).toHaveLength(4);
  expect(sent()[3]).toEqual({ entries: { draft: null } });
  expect(keptEntry('draft')).toBeUndefined();
});

test('a page that goes away sends what it has gathered at once', async () => {
  const engine = fakeEngine({
    'place/read': () => ({ entries: {}, isOfThisRun: false }),
    'place/keep': () => null,
  });
  await readPlace();
  keepEntry('size', choice({ value: 'large' }));
  expect(engine.asked('place/keep')).toEqual([]);
  window.dispatchEvent(new Event('pagehide'));
  expect(engine.asked('place/keep')).toEqual([{ entries: { size: choice({ value: 'large' }) } }]);
});

test('a choice is restored if there is still such a value, and kept when it changes', async () => {
  const engine = fakeEngine({
    'place/read': () => ({
      entries: { size: choice({ value: 'large' }), color: choice({ value: 'mauve' }) },
      isOfThisRun: false,
    }),
    'place/keep': () => null,
  });
  const store = create(() => ({ size: 'small', color: 'red' }));
  await readPlace();
  for (const field of ['size', 'color'] as const) {
    keepChoice(store, {
      name: field,
      values: field === 'size' ? ['small', 'large'] : ['red', 'blue'],
      get: (state) => state[field],
      set: (value) => ({ [field]: value }),
    });
  }
  await expect.poll(() => store.getState()).toEqual({ size: 'large', color: 'red' });
  store.setState({ color: 'blue' });
  await expect
    .poll(() => engine.asked('place/keep'))
    .toEqual([{ entries: { color: choice({ value: 'blue' }) } }]);
});
