import type { EnvEntry, HeaderEntry, Server, TransportSettings } from '#shared/contract/servers.ts';

/** Keeps secret values apart from the settings. */
export interface Secrets {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** What a server is given at connect, and which of it is secret. */
export interface GivenValues {
  readonly lines: [name: string, value: string][];
  /** Secret values by what they are, such as `env:API_KEY` or `header:Authorization`. */
  readonly secrets: Map<string, string>;
}

/**
 * The secret variables and headers of servers. Those of saved servers are in the store, those of servers that
 * were named on the command line nowhere but in memory.
 */
export class ServerSecrets {
  readonly #store: Secrets;
  readonly #ofThisRun = new Map<string, string>();

  constructor(store: Secrets) {
    this.#store = store;
  }

  /** Keeps the secret values of a server that is saved; gives its transport without them. */
  async keep(id: string, transport: TransportSettings): Promise<TransportSettings> {
    const kept: Entry[] = [];
    for (const { entry, key } of keyed(id, transport)) {
      const fresh = entry.value ?? this.#ofThisRun.get(key);
      this.#ofThisRun.delete(key);
      if (!entry.secret) {
        kept.push({ ...entry, value: fresh ?? (await this.#store.get(key)) ?? '' });
        continue;
      }
      if (fresh !== undefined) await this.#store.set(key, fresh);
      kept.push({ ...entry, value: null });
    }
    return withEntries(transport, kept);
  }

  /** Holds the secret values of a server of this run; gives its transport without them. */
  hold(id: string, transport: TransportSettings): TransportSettings {
    const held = keyed(id, transport).map(({ entry, key }): Entry => {
      if (!entry.secret) return entry;
      if (entry.value !== null) this.#ofThisRun.set(key, entry.value);
      return { ...entry, value: null };
    });
    return withEntries(transport, held);
  }

  /** Forgets the secrets of a server; of one that goes on with other settings, those it has no more. */
  async forget(before: Server, now?: Server): Promise<void> {
    const stay = new Set(now === undefined ? [] : secretKeys(now));
    for (const key of secretKeys(before)) {
      if (stay.has(key)) continue;
      this.#ofThisRun.delete(key);
      await this.#store.remove(key);
    }
  }

  /** The variables or headers of a server with their values; a value that is not held is left out. */
  async valuesOf({ id, transport }: Server): Promise<GivenValues> {
    const lines: [string, string][] = [];
    const secrets = new Map<string, string>();
    for (const { entry, key, kind } of keyed(id, transport)) {
      const value = entry.secret ? await this.#get(key) : entry.value;
      if (value === null) continue;
      lines.push([entry.name, value]);
      if (entry.secret) secrets.set(kind, value);
    }
    return { lines, secrets };
  }

  /** The value of one secret variable or header; null when there is none or it is not held. */
  async reveal({ id, transport }: Server, name: string): Promise<string | null> {
    const wanted = comparable(transport, name);
    const found = keyed(id, transport).find(
      ({ entry }) => entry.secret && comparable(transport, entry.name) === wanted,
    );
    return found === undefined ? null : this.#get(found.key);
  }

  async #get(key: string): Promise<string | null> {
    return this.#ofThisRun.get(key) ?? this.#store.get(key);
  }
}

type Entry = EnvEntry | HeaderEntry;

interface Keyed {
  readonly entry: Entry;
  /** Where its value is kept. */
  readonly key: string;
  readonly kind: string;
}

/** A header may be there more than once, with another value each. */
function keyed(id: string, transport: TransportSettings): Keyed[] {
  const area = transport.kind === 'stdio' ? 'env' : 'header';
  const counts = new Map<string, number>();
  return entriesOf(transport).map((entry) => {
    const name = comparable(transport, entry.name);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const which = count === 1 ? '' : `/${count}`;
    return { entry, key: `server/${id}/${area}/${name}${which}`, kind: `${area}:${entry.name}${which}` };
  });
}

const entriesOf = (transport: TransportSettings): readonly Entry[] =>
  transport.kind === 'stdio' ? transport.env : transport.headers;

const withEntries = (transport: TransportSettings, entries: Entry[]): TransportSettings =>
  transport.kind === 'stdio' ? { ...transport, env: entries } : { ...transport, headers: entries };

/** Header names are the same in any case (RFC 9110 section 5.1). */
const comparable = ({ kind }: TransportSettings, name: string): string =>
  kind === 'stdio' ? name : name.toLowerCase();

const secretKeys = ({ id, transport }: Server): string[] =>
  keyed(id, transport).flatMap(({ entry, key }) => (entry.secret ? [key] : []));
