import type { StoreApi } from 'zustand';
import { call } from '#bridge';
import type { PlaceEntry } from '#shared/contract/place.ts';
import { MAX_TYPED } from '#shared/contract/place.ts';
import { useServers } from './servers.ts';

/*
 * Where the user is in the window, kept by the engine, so that it survives a reload, a restart and a new address. Secrets
 * in what was typed are left out there.
 */

/** Milliseconds in which changes are gathered. */
const GATHER = 50;

let entries: Readonly<Record<string, PlaceEntry>> = {};
let isRead = false;
let readers: (() => void)[] = [];
const changed = new Map<string, PlaceEntry | null>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reads what was kept. Resolves to whether it is of this run of the app. Rejects when the engine cannot be reached. */
export async function readPlace(): Promise<boolean> {
  const place = await call('place/read', {});
  entries = place.entries;
  isRead = true;
  const waiting = readers;
  readers = [];
  for (const read of waiting) read();
  // A page that goes away hands over what it has gathered.
  window.addEventListener('pagehide', sendChanges);
  return place.isOfThisRun;
}

/** The kept entry of this name; undefined before the place was read, or if nothing was kept. */
export const keptEntry = (name: string): PlaceEntry | undefined => entries[name];

/** Keeps an entry; null drops it. */
export function keepEntry(name: string, given: PlaceEntry | null): void {
  // Before it was read, everything is as at first.
  if (!isRead) return;
  const entry = given && withoutLongTexts(given);
  const { [name]: before, ...others } = entries;
  if (isSame(before ?? null, entry)) return;
  entries = entry === null ? others : { ...others, [name]: entry };
  changed.set(name, entry);
  timer ??= setTimeout(sendChanges, GATHER);
}

/** An entry without the texts that the engine would drop: they can be longer than what may be sent. */
const withoutLongTexts = (entry: PlaceEntry): PlaceEntry => ({
  ...entry,
  typed: Object.fromEntries(Object.entries(entry.typed).filter(([, text]) => text.length <= MAX_TYPED)),
});

const isSame = (one: PlaceEntry | null, other: PlaceEntry | null): boolean =>
  one === null || other === null
    ? one === other
    : one.serverId === other.serverId &&
      hasSameValues(one.chosen, other.chosen) &&
      hasSameValues(one.typed, other.typed);

function hasSameValues(one: PlaceEntry['chosen'], other: PlaceEntry['chosen']): boolean {
  const fields = Object.keys(one);
  return fields.length === Object.keys(other).length && fields.every((field) => one[field] === other[field]);
}

function sendChanges(): void {
  clearTimeout(timer);
  timer = undefined;
  if (changed.size === 0) return;
  const sent = Object.fromEntries(changed);
  changed.clear();
  // What is not kept is missing after the next start, no more.
  call('place/keep', { entries: sent }).catch(() => undefined);
}

/** An entry with what was chosen only. */
export const choice = (chosen: PlaceEntry['chosen'], serverId: string | null = null): PlaceEntry => ({
  serverId,
  chosen,
  typed: {},
});

/** What is kept of one value of a store. */
interface KeptInPlace<State, Value> {
  /** The beginning of the names of its entries. */
  readonly prefix: string;
  readonly get: (state: State) => Readonly<Record<string, Value>>;
  readonly set: (values: Readonly<Record<string, Value>>) => Partial<State>;
  /** Null drops the entry. */
  readonly toEntry: (value: Value, key: string) => PlaceEntry | null;
  /** Undefined if the entry is not of this kind. */
  readonly fromEntry: (entry: PlaceEntry, key: string) => Value | undefined;
}

/** Restores a record of a store once the place is read, and keeps each value that changes from then on. */
export function keepInPlace<State, Value>(
  store: Pick<StoreApi<State>, 'getState' | 'setState' | 'subscribe'>,
  { prefix, get, set, toEntry, fromEntry }: KeptInPlace<State, Value>,
): void {
  whenRead(() => {
    const restored: Record<string, Value> = {};
    for (const [name, entry] of Object.entries(entries)) {
      if (!name.startsWith(prefix)) continue;
      const key = name.slice(prefix.length);
      const value = fromEntry(entry, key);
      if (value !== undefined) restored[key] = value;
    }
    store.setState(set({ ...restored, ...get(store.getState()) }));
    store.subscribe((now, before) => {
      const values = get(now);
      const last = get(before);
      if (values === last) return;
      for (const [key, value] of Object.entries(values)) {
        if (value !== last[key]) keepEntry(prefix + key, toEntry(value, key));
      }
    });
  });
}

/** Restores one of a few values of a store once the place is read, and keeps it when it changes from then on. */
export function keepChoice<State, Value extends string>(
  store: Pick<StoreApi<State>, 'getState' | 'setState' | 'subscribe'>,
  {
    name,
    values,
    get,
    set,
  }: {
    /** The name of its entry. */
    readonly name: string;
    readonly values: readonly Value[];
    readonly get: (state: State) => Value;
    readonly set: (value: Value) => Partial<State>;
  },
): void {
  whenRead(() => {
    const kept = keptEntry(name)?.chosen.value;
    const restored = values.find((value) => value === kept);
    if (restored !== undefined) store.setState(set(restored));
    store.subscribe((now, before) => {
      if (get(now) !== get(before)) keepEntry(name, choice({ value: get(now) }));
    });
  });
}

/** Runs once the place is read: now, if it was. */
export function whenRead(run: () => void): void {
  // A module that is loaded later is ready only when all of it has run.
  if (isRead) queueMicrotask(run);
  else readers.push(run);
}

/** An entry of a saved server; null for a recorded session, whose id is new each time. */
export const entryOf = (
  serverId: string | undefined,
  entry: Pick<PlaceEntry, 'chosen' | 'typed'>,
): PlaceEntry | null =>
  serverId !== undefined && useServers.getState().servers.some(({ id }) => id === serverId)
    ? { serverId, ...entry }
    : null;

/** The parts of a key that was made of several. */
export function partsOf(key: string): readonly string[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) ? parts.map(String) : [];
  } catch {
    return [];
  }
}

/** A name chosen for each server, such as the selected tool. */
export const chosenByServer = {
  toEntry: (name: string, serverId: string) => entryOf(serverId, { chosen: { name }, typed: {} }),
  fromEntry: ({ chosen: { name } }: PlaceEntry) => (typeof name === 'string' ? name : undefined),
} as const;

/** Texts that were typed into named fields, by server and form. */
export const typedFields = {
  toEntry: (values: Readonly<Record<string, string>>, key: string) =>
    entryOf(partsOf(key)[0], { chosen: {}, typed: { values: JSON.stringify(values) } }),
  fromEntry({ typed: { values } }: PlaceEntry): Readonly<Record<string, string>> | undefined {
    if (values === undefined || values.length > MAX_TYPED) return undefined;
    try {
      const read: unknown = JSON.parse(values);
      if (typeof read !== 'object' || read === null) return undefined;
      return Object.fromEntries(
        Object.entries(read).filter((one): one is [string, string] => typeof one[1] === 'string'),
      );
    } catch {
      return undefined;
    }
  },
} as const;
