/** Listening to something the engine owns. */
interface Following {
  /** Settles once the engine has sent the current state; rejects when it cannot be read. */
  readonly loaded: Promise<void>;
  readonly stop: () => void;
}

/**
 * Keeps a list of the engine up to date: reads the whole list, and applies each change. A change that arrives while
 * the list is being read is newer, so the list does not overwrite it.
 */
export function followList<T>({
  list,
  listen,
  idOf,
  put,
  remove,
}: {
  readonly list: () => Promise<readonly T[]>;
  /** Listens for changes until the returned function is called. */
  readonly listen: (changed: (item: T) => void, removed: (id: string) => void) => () => void;
  readonly idOf: (item: T) => string;
  /** Adds items, or replaces those with the same ids. */
  readonly put: (items: readonly T[]) => void;
  readonly remove?: (id: string) => void;
}): Following {
  const changedWhileLoading = new Set<string>();
  let isLoading = true;
  const note = (id: string) => {
    if (isLoading) changedWhileLoading.add(id);
  };
  const stop = listen(
    (item) => {
      note(idOf(item));
      put([item]);
    },
    (id) => {
      note(id);
      remove?.(id);
    },
  );
  const load = async () => {
    const items = await list();
    put(items.filter((item) => !changedWhileLoading.has(idOf(item))));
    isLoading = false;
    changedWhileLoading.clear();
  };
  return { loaded: load(), stop };
}

/** Keeps one value of the engine up to date, which is sent whole whenever it changes. */
export const followValue = <T extends object>({
  read,
  listen,
  set,
}: {
  readonly read: () => Promise<T>;
  readonly listen: (changed: (value: T) => void) => () => void;
  readonly set: (value: T) => void;
}): Following =>
  followList<T>({
    list: async () => [await read()],
    listen,
    idOf: () => '',
    put: ([value]) => {
      if (value !== undefined) set(value);
    },
  });
