import { expect, test } from 'vitest';
import { followList, followValue } from './follow.ts';

interface Item {
  readonly id: string;
  readonly text: string;
}

/** A promise that the test settles. */
function pending<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A list whose reading ends when the test says so. */
function aList() {
  const kept = new Map<string, string>();
  const read = pending<readonly Item[]>();
  let changed: (item: Item) => void = () => undefined;
  let removed: (id: string) => void = () => undefined;
  let isListening = false;
  const following = followList<Item>({
    list: () => read.promise,
    listen: (onChange, onRemove) => {
      isListening = true;
      changed = onChange;
      removed = onRemove;
      return () => {
        isListening = false;
      };
    },
    idOf: ({ id }) => id,
    put: (items) => items.forEach(({ id, text }) => kept.set(id, text)),
    remove: (id) => kept.delete(id),
  });
  return {
    kept,
    read,
    following,
    change: (id: string, text: string) => changed({ id, text }),
    remove: (id: string) => removed(id),
    isListening: () => isListening,
  };
}

test('has the list, then its changes', async () => {
  const { kept, read, following, change } = aList();
  read.resolve([
    { id: 'a', text: 'first' },
    { id: 'b', text: 'first' },
  ]);
  await following.loaded;
  change('b', 'second');
  expect(Object.fromEntries(kept)).toEqual({ a: 'first', b: 'second' });
});

test('a change that arrives before the list is not overwritten by it', async () => {
  const { kept, read, following, change, remove } = aList();
  change('a', 'newer');
  remove('b');
  read.resolve([
    { id: 'a', text: 'older' },
    { id: 'b', text: 'older' },
    { id: 'c', text: 'only' },
  ]);
  await following.loaded;
  expect(Object.fromEntries(kept)).toEqual({ a: 'newer', c: 'only' });
});

test('rejects when the list cannot be read, and stops listening on request', async () => {
  const { read, following, isListening } = aList();
  read.reject(new Error('no engine'));
  await expect(following.loaded).rejects.toThrow('no engine');
  expect(isListening()).toBe(true);
  following.stop();
  expect(isListening()).toBe(false);
});

test('a value that changes while it is read stays changed', async () => {
  const values: string[] = [];
  const read = pending<{ text: string }>();
  let changed: (value: { text: string }) => void = () => undefined;
  const { loaded } = followValue<{ text: string }>({
    read: () => read.promise,
    listen: (onChange) => {
      changed = onChange;
      return () => undefined;
    },
    set: ({ text }) => values.push(text),
  });
  changed({ text: 'newer' });
  read.resolve({ text: 'older' });
  await loaded;
  expect(values).toEqual(['newer']);
});
