import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  droppableParameters,
  type StoredCredentials,
  storedCredentialsSchema,
  type TokenGeneration,
  tokenGenerationSchema,
  type TokenSignature,
} from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { addGeneration, fingerprintOf, type TokenSet, tokenSetSchema } from './tokens.ts';

/** Keeps secret values by name. */
export interface CredentialStorage {
  /** Whether values survive a restart of the app. */
  readonly isPersistent: boolean;
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Runs the work while no other process does any under this name; absent if no other process has the storage. */
  exclusively?<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** A client at an authorization server. Has secrets. */
const clientSchema = z.object({
  serverId: z.string(),
  /** The URL of the MCP server. Tokens for one URL are never sent to another. */
  serverUrl: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  registration: storedCredentialsSchema.shape.registration,
  clientSecret: z.string().nullable(),
  /** Milliseconds since the Unix epoch; null if the secret does not expire. */
  secretExpiresAt: z.number().nullable(),
  /** `token_endpoint_auth_method` of the registration response. */
  authMethod: z.string().nullable(),
  /** The redirect URI that was registered. */
  redirectUri: z.string().nullable(),
  /** `registration_client_uri` and `registration_access_token` (RFC 7592). */
  management: z.object({ uri: z.string(), accessToken: z.string() }).nullable(),
  /** `resource` of the resource metadata, as it is written there. */
  resource: z.string(),
  /** Every scope that was requested so far, separated by spaces; null if none was. */
  requestedScope: z.string().nullable(),
  /** Parameters that the user switched off when the tokens were requested, such as `resource`; a refresh leaves them out. */
  dropped: z.array(z.enum(droppableParameters)).default([]),
  /** Whether the server rejected its issuer as `aud` of a client assertion. */
  isIssuerRejected: z.boolean().default(false),
  /** Endpoints from the metadata of the authorization server. */
  endpoints: z.object({
    token: z.string(),
    revocation: z.string().nullable(),
    introspection: z.string().nullable(),
    jwks: z.string().nullable(),
    /** `token_endpoint_auth_methods_supported`. */
    authMethods: z.array(z.string()).nullable(),
  }),
});
export type RegisteredClient = z.infer<typeof clientSchema>;

const credentialsSchema = clientSchema.extend({
  id: z.string(),
  /** The newest; null before the first, and after they were revoked. */
  tokens: tokenSetSchema.nullable(),
  /** Thumbprint of the key that the tokens are bound to; null for `Bearer`. */
  dpopThumbprint: z.string().nullable(),
  generations: z.array(tokenGenerationSchema),
});

/** A client with its tokens. Has secrets. */
export type Credentials = z.infer<typeof credentialsSchema>;

/** The secrets of stored credentials, by what they are. */
export function secretsOfCredentials({ clientSecret, management, tokens }: Credentials): [string, string][] {
  const all = {
    client_secret: clientSecret,
    registration_access_token: management?.accessToken ?? null,
    access_token: tokens?.accessToken ?? null,
    refresh_token: tokens?.refreshToken ?? null,
    id_token: tokens?.idToken ?? null,
  };
  return Object.entries(all).flatMap(([kind, value]): [string, string][] =>
    value === null ? [] : [[kind, value]],
  );
}

/** Tokens as they arrived, and what is known about them. */
export interface ReceivedTokens {
  readonly tokens: TokenSet;
  readonly signature: TokenSignature;
  /** Row of the response in the trace of this session. */
  readonly row: number | null;
  readonly dpopThumbprint: string | null;
}

/** The name of the list of all IDs in the storage. */
const INDEX = 'authorization';
const indexSchema = z.array(z.string());

/** Limit of generations that are kept for one client. */
const MAX_GENERATIONS = 50;

/**
 * The registered clients and their tokens, by server, issuer and client. Several apps may use one storage: nothing of it is
 * remembered here, except rows of the running sessions.
 */
export class CredentialStore {
  readonly #storage: CredentialStorage;
  readonly #onChange: (serverId: string) => void;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #refreshes = new Map<string, Promise<Credentials>>();
  readonly #rows = new Map<string, number>();

  constructor(storage: CredentialStorage, onChange: (serverId: string) => void) {
    this.#storage = storage;
    this.#onChange = onChange;
  }

  get isPersistent(): boolean {
    return this.#storage.isPersistent;
  }

  /** What is stored for a server, or for all without one, without secrets; the oldest first. */
  async list(serverId: string | null): Promise<StoredCredentials[]> {
    const all = serverId === null ? await this.#all() : await this.ofServer(serverId);
    return all.map((credentials) => this.#withoutSecrets(credentials));
  }

  /** The oldest first. */
  async ofServer(serverId: string): Promise<Credentials[]> {
    return (await this.#all()).filter((one) => one.serverId === serverId);
  }

  async get(id: string): Promise<Credentials | null> {
    const text = await this.#storage.get(keyOf(id));
    return text === null ? null : readCredentials(text);
  }

  /** Stores a client. It keeps its tokens unless the server or its resource has changed. */
  async saveClient(client: RegisteredClient): Promise<Credentials> {
    const id = idOf(client);
    if (client.registration === 'dynamic') await this.#forgetUnused(client, id);
    return this.#inTurn(id, async () => {
      const before = await this.get(id);
      const keeps = before?.serverUrl === client.serverUrl && before.resource === client.resource;
      // The list first: a value that it does not name would never be found again.
      if (before === null) await this.#changeIndex((ids) => [...ids.filter((one) => one !== id), id]);
      return this.#write({
        ...client,
        id,
        tokens: keeps ? before.tokens : null,
        dpopThumbprint: keeps ? before.dpopThumbprint : null,
        generations: keeps ? before.generations : [],
      });
    });
  }

  /** Forgets the clients without tokens that were registered before: with a free port each registration has another redirect URI. */
  async #forgetUnused({ serverId, issuer }: RegisteredClient, newId: string): Promise<void> {
    for (const one of await this.ofServer(serverId)) {
      const isUnused = one.registration === 'dynamic' && one.issuer === issuer && one.tokens === null;
      if (isUnused && one.id !== newId) await this.forget(one.id);
    }
  }

  /** Stores tokens before anyone can use them. @throws FaultError if there is no such client any more */
  saveTokens(id: string, received: ReceivedTokens): Promise<Credentials> {
    return this.#change(id, (before) => this.#withTokens(before, received));
  }

  /**
   * Refreshes the tokens, one request at a time for each client, in other processes too: those who ask while it runs get its result. Returns what is stored,
   * without a request, if the access token that was used is no longer the stored one.
   *
   * @param request resolves to null if it failed, or has stored the tokens
   */
  refresh(
    id: string,
    usedAccessToken: string,
    request: (credentials: Credentials) => Promise<ReceivedTokens | null>,
  ): Promise<Credentials> {
    const running = this.#refreshes.get(id);
    if (running !== undefined) return running;
    const refresh = () => this.#refresh(id, usedAccessToken, request);
    const { exclusively } = this.#storage;
    const refreshed = (exclusively === undefined ? refresh() : exclusively(keyOf(id), refresh)).finally(() =>
      this.#refreshes.delete(id),
    );
    this.#refreshes.set(id, refreshed);
    return refreshed;
  }

  async #refresh(
    id: string,
    usedAccessToken: string,
    request: (credentials: Credentials) => Promise<ReceivedTokens | null>,
  ): Promise<Credentials> {
    const stored = await this.#existing(id);
    if (stored.tokens?.accessToken !== usedAccessToken) return stored;
    const received = await request(stored);
    if (received === null) return this.#existing(id);
    // The user may have replaced the tokens while the request ran: then these are not wanted.
    return this.#change(id, (before) =>
      before.tokens?.accessToken === usedAccessToken ? this.#withTokens(before, received) : before,
    );
  }

  /** Notes what came of verifying an access token or ID token. */
  async saveSignature(id: string, token: string, signature: TokenSignature): Promise<void> {
    const fingerprint = fingerprintOf(token);
    await this.#change(id, (before) => ({
      ...before,
      generations: before.generations.map((one) => {
        const { idToken } = one;
        return {
          ...one,
          ...(one.accessFingerprint === fingerprint && { signature }),
          ...(idToken?.fingerprint === fingerprint && { idToken: { ...idToken, signature } }),
        };
      }),
    }));
  }

  /** Treats the access token as expired. */
  async expire(id: string, now: number): Promise<void> {
    await this.#change(id, (before) => ({
      ...before,
      tokens: before.tokens && { ...before.tokens, expiresAt: now },
      generations: withNewestState(before.generations, 'expired'),
    }));
  }

  /** Notes that the server has revoked a token. */
  async revoked(id: string, kind: 'access_token' | 'refresh_token', now: number): Promise<void> {
    await this.#change(id, (before) => ({
      ...before,
      tokens: before.tokens && withoutToken(before.tokens, kind, now),
      generations: withNewestState(before.generations, 'revoked'),
    }));
  }

  /** Uses tokens of the user in place of the stored ones. Their type and scope are taken to be the same. */
  async replace(
    id: string,
    given: { readonly accessToken: string; readonly refreshToken: string | null },
    now: number,
  ): Promise<void> {
    await this.#change(id, (before) =>
      this.#withTokens(before, {
        tokens: {
          ...given,
          idToken: null,
          tokenType: before.tokens?.tokenType ?? 'Bearer',
          scope: before.tokens?.scope ?? null,
          receivedAt: now,
          expiresAt: null,
        },
        signature: { state: 'unverified', detail: 'The user entered this token.' },
        row: null,
        dpopThumbprint: before.dpopThumbprint,
      }),
    );
  }

  /** Keeps credentials under another name, where no request finds them. */
  async setAside(id: string, heldAs: string): Promise<void> {
    const text = await this.#storage.get(keyOf(id));
    if (text !== null) await this.#storage.set(heldAs, text);
    await this.forget(id);
  }

  /** Brings back what was set aside. @throws FaultError if it is gone, or the client has credentials again */
  async bringBack(id: string, heldAs: string): Promise<Credentials> {
    const text = await this.#storage.get(heldAs);
    const held = text === null ? null : readCredentials(text);
    if (held === null) throw new FaultError(noLongerHeld);
    await this.#inTurn(id, async () => {
      if ((await this.get(id)) !== null) throw new FaultError(hasNewer);
      await this.#changeIndex((ids) => [...ids.filter((one) => one !== id), id]);
      await this.#write(held);
    });
    await this.dropAside(heldAs);
    return held;
  }

  /** Deletes what was set aside. Idempotent. */
  async dropAside(heldAs: string): Promise<void> {
    await this.#storage.remove(heldAs);
  }

  /** Idempotent. */
  async forget(id: string): Promise<void> {
    await this.#inTurn(id, async () => {
      const before = await this.get(id);
      await this.#storage.remove(keyOf(id));
      await this.#changeIndex((ids) => ids.filter((one) => one !== id));
      if (before !== null) this.#onChange(before.serverId);
    });
  }

  /** Forgets everything of a server, such as one that is removed from the list. */
  async forgetServer(serverId: string): Promise<void> {
    for (const { id } of await this.ofServer(serverId)) await this.forget(id);
  }

  /** Rows belong to the trace of one session: without it they mean nothing. */
  forgetRows(): void {
    this.#rows.clear();
  }

  async #all(): Promise<Credentials[]> {
    const found = await Promise.all((await this.#ids()).map((id) => this.get(id)));
    return found.filter((one) => one !== null);
  }

  async #existing(id: string): Promise<Credentials> {
    const found = await this.get(id);
    if (found !== null) return found;
    throw new FaultError({
      code: 'no-such-credentials',
      what: 'These credentials are no longer stored.',
      next: 'Authorize again.',
    });
  }

  #change(id: string, change: (before: Credentials) => Credentials): Promise<Credentials> {
    return this.#inTurn(id, async () => this.#write(change(await this.#existing(id))));
  }

  async #write(credentials: Credentials): Promise<Credentials> {
    const generations = credentials.generations.slice(-MAX_GENERATIONS);
    const stored = { ...credentials, generations: generations.map((one) => ({ ...one, row: null })) };
    await this.#storage.set(keyOf(credentials.id), JSON.stringify(stored));
    this.#onChange(credentials.serverId);
    return stored;
  }

  #withTokens(before: Credentials, { tokens, signature, row, dpopThumbprint }: ReceivedTokens): Credentials {
    const generations = addGeneration(before.generations, tokens, { signature, row });
    const number = generations.at(-1)?.number;
    if (row !== null) this.#rows.set(`${before.id}/${number}`, row);
    return { ...before, tokens, dpopThumbprint, generations };
  }

  #withoutSecrets({ clientSecret, ...credentials }: Credentials): StoredCredentials {
    const { id, serverId, issuer, clientId, registration, resource, generations } = credentials;
    return {
      id,
      serverId,
      issuer,
      clientId,
      registration,
      hasClientSecret: clientSecret !== null,
      resource,
      generations: generations.map((one) => ({ ...one, row: this.#rows.get(`${id}/${one.number}`) ?? null })),
      isPersistent: this.isPersistent,
    };
  }

  async #ids(): Promise<string[]> {
    const text = await this.#storage.get(INDEX);
    return text === null ? [] : (indexSchema.safeParse(parsed(text)).data ?? []);
  }

  #changeIndex(change: (ids: readonly string[]) => string[]): Promise<void> {
    return this.#inTurn(INDEX, async () =>
      this.#storage.set(INDEX, JSON.stringify(change(await this.#ids()))),
    );
  }

  /** Changes of one value run one after the other. */
  #inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#turns.set(name, result);
    const clear = () => {
      if (this.#turns.get(name) === result) this.#turns.delete(name);
    };
    result.then(clear, clear);
    return result;
  }
}

const noLongerHeld = {
  code: 'no-such-credentials',
  what: 'These credentials are no longer held.',
  next: 'Authorize again.',
};

const hasNewer = {
  code: 'newer-credentials',
  what: 'The client was authorized again, so the credentials it had before were not brought back.',
  next: 'Forget the newer credentials first.',
};

/** What is left once a token was revoked: an access token alone can be used, a refresh token alone be refreshed. */
function withoutToken(
  tokens: TokenSet,
  kind: 'access_token' | 'refresh_token',
  now: number,
): TokenSet | null {
  if (kind === 'refresh_token') return { ...tokens, refreshToken: null };
  return tokens.refreshToken === null ? null : { ...tokens, expiresAt: now };
}

const keyOf = (id: string): string => `${INDEX}/${id}`;

/** The names of stored values are readable, so the ID says nothing about the server. */
const idOf = ({ serverId, issuer, clientId }: RegisteredClient): string =>
  createHash('sha256')
    .update(JSON.stringify([serverId, issuer, clientId]))
    .digest('hex')
    .slice(0, 16);

/** A value that another version wrote, or that is damaged, counts as lost. */
const readCredentials = (text: string): Credentials | null =>
  credentialsSchema.safeParse(parsed(text)).data ?? null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Counts as lost, like any other damaged value.
  }
}

const withNewestState = (
  generations: readonly TokenGeneration[],
  state: TokenGeneration['state'],
): TokenGeneration[] =>
  generations.map((one, index) => (index === generations.length - 1 ? { ...one, state } : one));
