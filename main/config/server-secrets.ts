import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type {
  EnvEntry,
  HeaderEntry,
  HttpSettings,
  Server,
  TransportSettings,
  Variable,
} from '#shared/contract/servers.ts';
import { isDistinct } from '#shared/secret-names.ts';
import {
  isHeld,
  secretsInUrl,
  type UrlSecret,
  USER_INFO,
  withoutUrlSecrets,
  withUrlSecrets,
} from '#shared/url-secrets.ts';
import type { Secrets } from './secrets.ts';

/** The variables or headers of a server, and which of them are secret. */
export interface GivenValues {
  readonly lines: [name: string, value: string][];
  /** Secret values by kind and name, such as `env:API_KEY` or `header:Authorization`. */
  readonly secrets: Map<string, string>;
}

/** The URL of a server, and which parts of it are secret, such as `url:token`. */
export interface GivenAddress {
  readonly url: string;
  readonly secrets: Map<string, string>;
}

/**
 * The secret variables, headers and parts of URLs of servers. Those of saved servers are in the store, those of servers
 * named on the command line only in memory.
 */
export class ServerSecrets {
  readonly #store: Secrets;
  readonly #ofThisRun = new Map<string, string>();

  constructor(store: Secrets) {
    this.#store = store;
  }

  /** Stores the secret values of a saved server; returns its transport without them. */
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
    return this.#keepUrl(id, withEntries(transport, kept));
  }

  async #keepUrl(id: string, transport: TransportSettings): Promise<TransportSettings> {
    if (transport.kind === 'stdio') return transport;
    const url = readableUrl(transport);
    for (const secret of secretsInUrl(url)) {
      const key = urlKey(id, secret);
      const fresh = isHeld(secret) ? this.#ofThisRun.get(key) : secret.value;
      this.#ofThisRun.delete(key);
      if (fresh !== undefined) await this.#store.set(key, fresh);
    }
    return { ...transport, url: withoutUrlSecrets(url), ...(await this.#keepAuthorization(id, transport)) };
  }

  async #keepAuthorization(
    id: string,
    { authorization }: HttpSettings,
  ): Promise<Pick<HttpSettings, 'authorization'>> {
    if (authorization === undefined) return {};
    const kept = { ...authorization };
    for (const name of authorizationSecrets) {
      const key = authorizationKey(id, name);
      const { isSet, value } = authorization[name];
      const fresh = value ?? this.#ofThisRun.get(key);
      this.#ofThisRun.delete(key);
      if (fresh === '' || !isSet) await this.#store.remove(key);
      else if (fresh !== undefined) await this.#store.set(key, fresh);
      kept[name] = { isSet: isSet && fresh !== '', value: null };
    }
    return { authorization: kept };
  }

  /** Holds the secret values of a server of this run in memory; returns its transport without them. */
  hold(id: string, transport: TransportSettings): TransportSettings {
    const held = keyed(id, transport).map(({ entry, key }): Entry => {
      if (!entry.secret) return entry;
      if (entry.value !== null) this.#ofThisRun.set(key, entry.value);
      return { ...entry, value: null };
    });
    return this.#holdUrl(id, withEntries(transport, held));
  }

  #holdUrl(id: string, transport: TransportSettings): TransportSettings {
    if (transport.kind === 'stdio') return transport;
    const url = readableUrl(transport);
    for (const secret of secretsInUrl(url)) {
      if (!isHeld(secret)) this.#ofThisRun.set(urlKey(id, secret), secret.value);
    }
    return { ...transport, url: withoutUrlSecrets(url), ...this.#holdAuthorization(id, transport) };
  }

  #holdAuthorization(id: string, { authorization }: HttpSettings): Pick<HttpSettings, 'authorization'> {
    if (authorization === undefined) return {};
    const held = { ...authorization };
    for (const name of authorizationSecrets) {
      const { isSet, value } = authorization[name];
      if (isSet && value !== null) this.#ofThisRun.set(authorizationKey(id, name), value);
      held[name] = { isSet, value: null };
    }
    return { authorization: held };
  }

  /** How to authorize at a server, with the secret values that are held; by default `defaultAuthorization`. */
  async authorizationOf({ id, transport }: Server): Promise<AuthorizationSettings> {
    const settings = (transport.kind === 'http' && transport.authorization) || defaultAuthorization;
    const whole = { ...settings };
    for (const name of authorizationSecrets) {
      if (!settings[name].isSet) continue;
      const value = await this.#get(authorizationKey(id, name));
      whole[name] = { isSet: value !== null, value };
    }
    return whole;
  }

  /** Stores the values of secret variables of a saved server; returns them without. Null keeps the stored value. */
  async keepVariables(id: string, variables: readonly Variable[]): Promise<Variable[]> {
    for (const { name, value, secret } of variables) {
      if (secret && value !== null) await this.#store.set(variableKey(id, name), value);
    }
    return variables.map((variable) => (variable.secret ? { ...variable, value: null } : { ...variable }));
  }

  /** The variables of a server with the values that are held. */
  async variablesOf({ id, variables = [] }: Server): Promise<Variable[]> {
    return Promise.all(
      variables.map(async (variable) => ({
        ...variable,
        value: (await this.#get(variableKey(id, variable.name))) ?? variable.value,
      })),
    );
  }

  /**
   * Holds values of a saved server for this run only, by the names of its secret variables and headers and of its inputs.
   *
   * @returns the names that the server does not have
   */
  supply({ id, transport, variables = [] }: Server, values: Readonly<Record<string, string>>): string[] {
    const unknown: string[] = [];
    for (const [name, value] of Object.entries(values)) {
      const wanted = comparable(transport, name);
      const entry = keyed(id, transport).find(
        (one) => one.entry.secret && comparable(transport, one.entry.name) === wanted,
      );
      if (variables.some((variable) => variable.name === name))
        this.#ofThisRun.set(variableKey(id, name), value);
      else if (entry === undefined) unknown.push(name);
      else this.#ofThisRun.set(entry.key, value);
    }
    return unknown;
  }

  /** The variables of a server whose values were supplied for this run. */
  supplied({ id, variables = [] }: Server): ReadonlySet<string> {
    const names = variables.map(({ name }) => name);
    return new Set(names.filter((name) => this.#ofThisRun.has(variableKey(id, name))));
  }

  /** The secret variables and headers of a server whose values are not held. */
  async notHeld({ id, transport }: Server): Promise<string[]> {
    const names: string[] = [];
    for (const { entry, key } of keyed(id, transport)) {
      if (entry.secret && (await this.#get(key)) === null) names.push(entry.name);
    }
    return names;
  }

  /** Forgets the secrets of a server; with `now`, only those that its new settings no longer have. */
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

  /** The whole URL of an HTTP server, and which parts of it are secret. @throws FaultError if a part is not held */
  async addressOf(server: Server, { url }: HttpSettings): Promise<GivenAddress> {
    const { whole, missing } = await this.#wholeUrl(server.id, url);
    const [first] = missing;
    if (first !== undefined) throw new FaultError(notHeld(server, first));
    const secrets = secretsInUrl(whole).filter(({ value }) => isDistinct(value));
    return { url: whole, secrets: new Map(secrets.map(({ name, value }) => [`url:${name}`, value])) };
  }

  /** The URL of a server with the secrets that are held; null if it has no URL. */
  async revealUrl({ id, transport }: Server): Promise<string | null> {
    return transport.kind === 'stdio' ? null : (await this.#wholeUrl(id, transport.url)).whole;
  }

  async #wholeUrl(id: string, url: string): Promise<{ whole: string; missing: UrlSecret[] }> {
    const values = new Map<string, string>();
    const missing: UrlSecret[] = [];
    for (const secret of secretsInUrl(url).filter(isHeld)) {
      const value = await this.#get(urlKey(id, secret));
      if (value === null) missing.push(secret);
      else values.set(secret.key, value);
    }
    return { whole: withUrlSecrets(url, ({ key }) => values.get(key) ?? null), missing };
  }

  /** The value of one secret variable, header or input; null if it does not exist or is not held. */
  async reveal({ id, transport, variables = [] }: Server, name: string): Promise<string | null> {
    if (variables.some((variable) => variable.secret && variable.name === name))
      return this.#get(variableKey(id, name));
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

/** A header may occur more than once, each with its own value. */
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

const secretKeys = ({ id, transport, variables = [] }: Server): string[] => [
  ...variables.flatMap(({ name, secret }) => (secret ? [variableKey(id, name)] : [])),
  ...keyed(id, transport).flatMap(({ entry, key }) => (entry.secret ? [key] : [])),
  ...(transport.kind === 'stdio' ? [] : secretsInUrl(transport.url).map((secret) => urlKey(id, secret))),
  ...authorizationSecrets.flatMap((name) =>
    transport.kind === 'http' && transport.authorization?.[name].isSet ? [authorizationKey(id, name)] : [],
  ),
];

const variableKey = (id: string, name: string): string => `server/${id}/variable/${name}`;

/** The settings of an authorization that are secret. */
export const authorizationSecrets = [
  'clientSecret',
  'privateKey',
  'initialAccessToken',
  'identityToken',
] as const;

const authorizationKey = (id: string, name: (typeof authorizationSecrets)[number]): string =>
  `server/${id}/authorization/${name}`;

const urlKey = (id: string, { key }: UrlSecret): string => `server/${id}/url/${key}`;

/**
 * The URL in a form in which its secrets can be found: parsers drop tabs, read "\\" as "/", and skip further slashes
 * before the host (WHATWG URL section 4.4).
 */
const readableUrl = ({ url }: HttpSettings): string =>
  /[\s\\]|^[^/]*\/{3}/.test(url) && URL.canParse(url) ? new URL(url).href : url;

/** Whether the settings of a server still have secrets in its URL, as those of earlier versions do. */
export const hasUrlSecrets = ({ transport }: Pick<Server, 'transport'>): boolean =>
  transport.kind === 'http' && secretsInUrl(readableUrl(transport)).some((secret) => !isHeld(secret));

const notHeld = ({ name }: Server, secret: UrlSecret): Fault => ({
  code: 'secret-not-held',
  what:
    secret.key === USER_INFO
      ? `The user name and password in the URL of "${name}" are no longer held.`
      : `The value of "${secret.name}" in the URL of "${name}" is no longer held.`,
  why: 'Without a key store, secrets are forgotten when Sightglass quits.',
  next: 'Edit the server, write the value into its URL again, and connect.',
});
